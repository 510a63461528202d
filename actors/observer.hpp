// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the actors tell telemetry: nothing, and at no cost, where nobody asked.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "telemetry/metrics.hpp"
#include "telemetry/span_exporter.hpp"

namespace troupe::actors {

/// Which terminal a span is about.
struct SpanSubject {
  TerminalId id;
  std::string_view kind;
};

/// Threads: any. Borrows both parts; either may be null.
class Observer {
 public:
  Observer() = default;
  Observer(telemetry::Metrics* metrics, telemetry::SpanExporter* spans)
      : metrics_(metrics), spans_(spans) {}

  [[nodiscard]] bool counts() const { return metrics_ != nullptr; }
  [[nodiscard]] bool traces() const { return spans_ != nullptr; }

  /// Calls `change` with the figures, where there are any.
  template <class Change>
  void count(Change&& change) const {
    if (metrics_ != nullptr) {
      change(*metrics_);
    }
  }
  /// The span `troupe.terminal.<what>` from `start_us` (of `wall_us`) until this moment.
  void span(std::string_view what, const SpanSubject& subject, std::int64_t start_us,
            std::string error = {}) const;

  /// Microseconds of the wall clock since the Unix epoch.
  static std::int64_t wall_us();

 private:
  telemetry::Metrics* metrics_ = nullptr;
  telemetry::SpanExporter* spans_ = nullptr;
};

}  // namespace troupe::actors
