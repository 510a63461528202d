// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The answer to a scrape: Prometheus' text format, made by prometheus-cpp's serialiser. The names
/// and labels of docs/telemetry.md are all here.

#include <cstdint>
#include <string>

#include "telemetry/counters.hpp"
#include "telemetry/gauges.hpp"

namespace troupe::telemetry {

struct ProcessFacts {
  std::string version;
  double started_s = 0;  ///< Unix seconds
};

/// Bounds: the number of series is fixed; the text is under 32 KiB.
std::string exposition(const Counters& counters, const Gauges& gauges, const ProcessFacts& facts);

}  // namespace troupe::telemetry
