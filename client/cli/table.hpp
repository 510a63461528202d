// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Aligned columns for people.

#include <string>
#include <vector>

namespace troupe::client::cli {

/// Rows of cells under headings. The last column is not padded.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) { add(std::move(headings)); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// `90s` → `1m30s`, for durations in milliseconds.
std::string duration_text(std::int64_t milliseconds);

}  // namespace troupe::client::cli
