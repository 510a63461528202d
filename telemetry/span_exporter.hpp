// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Sends spans from a thread of its own: name servers, disks and collectors may block it, and
/// nothing else.

#include <functional>
#include <memory>
#include <string>

#include "telemetry/counters.hpp"
#include "telemetry/otel_settings.hpp"
#include "telemetry/span_queue.hpp"
#include "telemetry/span_sink.hpp"

namespace troupe::telemetry {

/// One line for the daemon's log; from any thread.
using Report = std::function<void(const std::string& line)>;

/// Threads: `add` from any, and it never waits for the exporter.
/// Ownership: owns its thread. The destructor lets it send what is queued for `farewell` and then
///   leaves it behind: a thread that hangs in a name server or a disk ends with the process.
/// Bounds: SpanQueue's, and one batch in flight. A batch is tried `max_attempts` times with growing
///   pauses and then dropped. Everything that is not delivered is counted with its reason.
/// Order: batches go one after the other, oldest spans first.
class SpanExporter {
 public:
  static constexpr std::chrono::milliseconds farewell{500};
  static constexpr int max_attempts = 5;

  struct Parts {
    SpanSettings settings;
    std::string version;
    std::shared_ptr<Counters> counters;
    Report warn;                     ///< the first failure in a row, and no more
    std::unique_ptr<SpanSink> sink;  ///< by default what `settings.target` names
    std::chrono::milliseconds first_pause{1'000};
    std::size_t queue_bytes = SpanQueue::default_limit_bytes;
  };

  explicit SpanExporter(Parts parts);
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;
  ~SpanExporter();

  void add(const Span& span);
  [[nodiscard]] std::size_t queued() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  struct Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace troupe::telemetry
