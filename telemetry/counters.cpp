// SPDX-License-Identifier: MIT
#include "telemetry/counters.hpp"

#include <algorithm>

namespace troupe::telemetry {

void DelayHistogram::observe(std::chrono::microseconds delay) {
  std::int64_t const us = std::max<std::int64_t>(0, delay.count());
  const auto* const at = std::lower_bound(bounds_us.begin(), bounds_us.end(), us);
  counts_.at(static_cast<std::size_t>(at - bounds_us.begin())).add();
  sum_us_.add(static_cast<std::uint64_t>(us));
}

}  // namespace troupe::telemetry
