// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How much output a terminal reads in one turn.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace troupe::actors {

/// What a byte costs depends on what is waited for: an expression that overflows RE2's caches takes
/// a thousand times as long as one that does not. The other terminals wait for the end of the turn.
/// So a turn that took too long makes the next ones shorter.
///
/// Threads: one at a time.
/// Bounds: `least_bytes` to `most_bytes`. Never less: the unfinished line is looked at anew each
///   turn.
class TurnSlice {
 public:
  static constexpr std::size_t most_bytes = 64 * 1024;
  static constexpr std::size_t least_bytes = 1024;
  static constexpr std::int64_t long_us = 20'000;
  static constexpr std::int64_t short_us = 5'000;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// What a byte costs is not known any more: the next turn is the shortest.
  void forget() { bytes_ = least_bytes; }
  /// A turn that read `bytes` used the processor for so long.
  void took(std::size_t bytes, std::int64_t used_us) {
    if (used_us > long_us) {
      bytes_ = std::max(least_bytes, std::min(bytes, bytes_) / 2);
    } else if (used_us < short_us && bytes >= bytes_) {
      bytes_ = std::min(most_bytes, bytes_ * 2);
    }
  }

 private:
  std::size_t bytes_ = most_bytes;
};

}  // namespace troupe::actors
