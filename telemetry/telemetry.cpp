// SPDX-License-Identifier: MIT
#include "telemetry/telemetry.hpp"

#include <utility>

#include "telemetry/delay_probe.hpp"
#include "telemetry/exposition.hpp"
#include "telemetry/metrics_server.hpp"
#include "telemetry/span_exporter.hpp"

namespace troupe::telemetry {
namespace {

constexpr double ms_per_s = 1e3;

class Served final : public MetricsService {
 public:
  Served(std::unique_ptr<MetricsServer> server, std::unique_ptr<DelayProbe> probe)
      : server_(std::move(server)), probe_(std::move(probe)) {}
  [[nodiscard]] const std::string& url() const override { return server_->url(); }

 private:
  std::unique_ptr<MetricsServer> server_;
  std::unique_ptr<DelayProbe> probe_;
};

}  // namespace

class Telemetry::Impl {
 public:
  explicit Impl(TelemetryOptions options)
      : facts_{options.version, static_cast<double>(options.started_ms) / ms_per_s} {
    if (options.spans) {
      Pairs& resource = options.spans->resource;
      resource.emplace_back("service.version", options.version);
      resource.emplace_back("service.instance.id", options.instance_id);
      resource.emplace_back("process.pid", std::to_string(options.pid));
      exporter_ = std::make_unique<SpanExporter>(
          SpanExporter::Parts{std::move(*options.spans), std::move(options.version), counters_,
                              std::move(options.warn), nullptr});
    }
  }

  std::string text(const MetricsSource& source) {
    Gauges gauges = source.gauges();
    gauges.queued_spans = exporter_ ? exporter_->queued() : 0;
    return exposition(*counters_, gauges, facts_);
  }

  Counters& counters() { return *counters_; }
  SpanExporter* exporter() { return exporter_.get(); }

 private:
  ProcessFacts facts_;
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  std::unique_ptr<SpanExporter> exporter_;
};

Telemetry::Telemetry(TelemetryOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
Telemetry::~Telemetry() = default;

Result<std::unique_ptr<MetricsService>> Telemetry::serve(boost::asio::io_context& io,
                                                         const MetricsAddress& address,
                                                         MetricsSource source) {
  auto probe_actors = source.probe_actors;
  Result<std::unique_ptr<MetricsServer>> server =
      MetricsServer::open(io, address, impl_->counters(),
                          [this, from = std::move(source)] { return impl_->text(from); });
  if (!server) {
    return server.error();
  }
  auto probe =
      std::make_unique<DelayProbe>(io, impl_->counters().reactor_delay, std::move(probe_actors));
  return std::unique_ptr<MetricsService>(
      std::make_unique<Served>(std::move(*server), std::move(probe)));
}

void Telemetry::launched(Connector connector) {
  impl_->counters().launched.at(connector).add();
}
void Telemetry::launch_failed(Connector connector) {
  impl_->counters().launch_failures.at(connector).add();
}
void Telemetry::closed(Connector connector, CloseCause cause) {
  impl_->counters().closed.at(connector, cause).add();
}
void Telemetry::program_ended(Connector connector, ProgramEnd cause) {
  impl_->counters().program_ends_by.at(connector, cause).add();
}
void Telemetry::output(Connector connector, std::size_t bytes) {
  impl_->counters().output_bytes.at(connector).add(bytes);
}
void Telemetry::input(Connector connector, std::size_t bytes) {
  impl_->counters().input_bytes.at(connector).add(bytes);
}
void Telemetry::subscription_ended(SubscriptionEnd reason) {
  impl_->counters().subscription_ends_by.at(reason).add();
}
void Telemetry::output_lost(std::uint64_t bytes) {
  impl_->counters().resyncs.add();
  impl_->counters().lost_bytes.add(bytes);
}
void Telemetry::wait_ended(WaitKind kind, WaitEnd outcome) {
  impl_->counters().waits.at(kind, outcome).add();
}
void Telemetry::command_started() {
  impl_->counters().commands_started.add();
}
void Telemetry::command_finished() {
  impl_->counters().commands_finished.add();
}
void Telemetry::recording_ended(const RecordingEnd& end) {
  Counters& counters = impl_->counters();
  counters.recordings.add();
  counters.recordings_failed.add(end.failed ? 1 : 0);
  counters.recording_dropped_rows.add(end.dropped_rows);
}
void Telemetry::actor_delay(std::chrono::microseconds delay) {
  impl_->counters().actor_delay.observe(delay);
}
void Telemetry::span(const Span& span) {
  if (SpanExporter* const exporter = impl_->exporter()) {
    exporter->add(span);
  }
}
bool Telemetry::wants_spans() const {
  return impl_->exporter() != nullptr;
}

}  // namespace troupe::telemetry
