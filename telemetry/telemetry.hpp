// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a daemon counts and traces, as its environment asks.

#include <memory>

#include "base/result.hpp"
#include "telemetry/metrics.hpp"
#include "telemetry/metrics_server.hpp"
#include "telemetry/settings.hpp"
#include "telemetry/span_exporter.hpp"

namespace troupe::telemetry {

/// Parts that nobody asked for are null.
struct Telemetry {
  std::shared_ptr<Metrics> metrics;
  std::unique_ptr<MetricsServer> server;
  std::unique_ptr<SpanExporter> spans;
};

/// Reads `TROUPE_METRICS` and the `OTEL_*` variables and starts what they ask for. An error where
/// one of them cannot be followed.
Result<Telemetry> start_telemetry(const Environment& environment);

}  // namespace troupe::telemetry
