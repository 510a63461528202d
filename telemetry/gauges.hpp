// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The figures that rise and fall.

#include <cstdint>

namespace troupe::telemetry {

/// What is counted when somebody looks, and not before.
struct Gauges {
  std::uint64_t terminals = 0;
  std::uint64_t running = 0;
  std::uint64_t connections = 0;
  std::uint64_t subscriptions = 0;
  std::uint64_t waits = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t lag_bytes = 0;      ///< of all subscribers
  std::uint64_t lag_max_bytes = 0;  ///< of the slowest one
  std::uint64_t queued_spans = 0;
};

}  // namespace troupe::telemetry
