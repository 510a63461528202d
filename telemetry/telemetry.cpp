// SPDX-License-Identifier: MIT
#include "telemetry/telemetry.hpp"

#include <utility>

namespace troupe::telemetry {

Result<Telemetry> start_telemetry(const Environment& environment) {
  Telemetry telemetry;
  if (const auto place = environment.find("TROUPE_METRICS");
      place != environment.end() && !place->second.empty()) {
    const Result<MetricsPlace> where = parse_metrics_place(place->second);
    if (!where) {
      return where.error();
    }
    telemetry.metrics = std::make_shared<Metrics>();
    auto server =
        MetricsServer::start(*where, [metrics = telemetry.metrics] { return metrics->text(); });
    if (!server) {
      return server.error();
    }
    telemetry.server = std::move(*server);
  }
  Result<SpanWish> wish = span_settings(environment);
  if (!wish) {
    return wish.error();
  }
  if (wish->wanted == Wanted::yes) {
    telemetry.spans = std::make_unique<SpanExporter>(
        std::move(wish->settings), [metrics = telemetry.metrics](std::uint64_t spans) {
          if (metrics) {
            metrics->spans_dropped(spans);
          }
        });
  }
  return telemetry;
}

}  // namespace troupe::telemetry
