// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What became of a recording's rows: which are in the file, and how many are not. A value without
/// a file, so that each way in which a recording can end is counted in one place.

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace troupe::recording {

/// Invariants: a row is counted once, in the file or as dropped.
class RowAccount {
 public:
  /// A gap's row names so many rows that were never made.
  void lost(std::uint64_t rows) { lost_ += rows; }
  /// So many were never looked at: the recording ended before.
  void untaken(std::uint64_t rows) { lost_ += rows; }
  /// So far `rows` were made for the file, and `at_ceiling` were not, for want of room in it.
  void made(std::uint64_t rows, std::uint64_t at_ceiling) {
    made_ = rows;
    at_ceiling_ = at_ceiling;
  }
  /// What was made is in the file.
  void written() { in_file_ = made_; }
  /// Of what was made since, only `part` is in the file; its last row may be cut.
  void written(std::string_view part) {
    in_file_ += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
  }

  [[nodiscard]] std::uint64_t in_file() const { return in_file_; }
  [[nodiscard]] std::uint64_t dropped() const { return made_ - in_file_ + at_ceiling_ + lost_; }

 private:
  std::uint64_t made_ = 0;
  std::uint64_t in_file_ = 0;
  std::uint64_t at_ceiling_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace troupe::recording
