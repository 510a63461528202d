// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The whole behind one door, for `daemon/`: counts what the service tells, serves it to scrapes,
/// and sends spans.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "telemetry/gauges.hpp"
#include "telemetry/metrics_address.hpp"
#include "telemetry/otel_settings.hpp"
#include "telemetry/port.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::telemetry {

struct TelemetryOptions {
  std::optional<SpanSettings> spans;
  std::string version;
  std::string instance_id;
  std::int32_t pid = 0;
  std::int64_t started_ms = 0;                        ///< Unix milliseconds
  std::function<void(const std::string& line)> warn;  ///< from any thread
};

/// What metrics ask of the running service, on the io thread.
struct MetricsSource {
  std::function<Gauges()> gauges;
  /// Sends an actor a message whose delay comes back as `Port::actor_delay`.
  std::function<void()> probe_actors;
};

/// Scrapes and probes, while it lives.
///
/// Threads: only the io thread.
class MetricsService {
 public:
  MetricsService() = default;
  MetricsService(const MetricsService&) = delete;
  MetricsService& operator=(const MetricsService&) = delete;
  virtual ~MetricsService() = default;
  [[nodiscard]] virtual const std::string& url() const = 0;
};

/// Threads: as `Port`; `serve` and the destructor where the io thread is not running.
/// Ownership: outlives the service that reports to it, and what `serve` gave.
/// Bounds: the destructor takes at most 0.7 s (`SpanExporter::farewell`), nothing without spans.
class Telemetry final : public Port {
 public:
  explicit Telemetry(TelemetryOptions options);
  ~Telemetry() override;

  /// Answers scrapes at `address` from now on.
  Result<std::unique_ptr<MetricsService>> serve(boost::asio::io_context& io,
                                                const MetricsAddress& address,
                                                MetricsSource source);

  void launched(Connector connector) override;
  void launch_failed(Connector connector) override;
  void closed(Connector connector, CloseCause cause) override;
  void program_ended(Connector connector, ProgramEnd cause) override;
  void output(Connector connector, std::size_t bytes) override;
  void input(Connector connector, std::size_t bytes) override;
  void subscription_ended(SubscriptionEnd reason) override;
  void output_lost(std::uint64_t bytes) override;
  void wait_ended(WaitKind kind, WaitEnd outcome) override;
  void command_started() override;
  void command_finished() override;
  void recording_ended(const RecordingEnd& end) override;
  void actor_delay(std::chrono::microseconds delay) override;
  void span(const Span& span) override;
  [[nodiscard]] bool wants_spans() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe::telemetry
