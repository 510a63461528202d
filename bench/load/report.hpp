// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The table that a run prints, one line a figure as it is found, and the same as JSON.

#include <string>
#include <vector>

namespace troupe::bench {

struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::string detail;  // what the value was made of
};

class Report {
 public:
  /// Prints the figure at once: a run takes minutes.
  void add(Figure figure);
  [[nodiscard]] std::string json() const;

 private:
  std::vector<Figure> figures_;
};

/// `value` with `digits` digits after the point.
std::string fixed(double value, int digits);

}  // namespace troupe::bench
