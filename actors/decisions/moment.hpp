// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The time of an event, given to every decision that needs it: tests choose it.

#include <cstdint>

namespace troupe::actors {

struct Moment {
  std::int64_t wall_ms = 0;    ///< Unix milliseconds
  std::int64_t steady_us = 0;  ///< monotonic microseconds
  [[nodiscard]] std::int64_t steady_ms() const { return steady_us / 1000; }
};

}  // namespace troupe::actors
