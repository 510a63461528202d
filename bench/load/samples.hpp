// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Time, and what a list of times says.

#include <chrono>
#include <vector>

namespace troupe::bench {

using Clock = std::chrono::steady_clock;

/// Milliseconds since `start`.
double elapsed_ms(Clock::time_point start);

/// Measured values of one kind, in the order they were taken.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  /// The smallest value that `share` (0 … 1) of the values do not exceed; 0 without values.
  [[nodiscard]] double percentile(double share) const;
  [[nodiscard]] double median() const { return percentile(0.5); }

 private:
  std::vector<double> values_;
};

}  // namespace troupe::bench
