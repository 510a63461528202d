// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How much of its time the io thread gives to actors.

#include <cstdint>

namespace troupe::actors {

/// A share of the wall clock, anew in each window: a key press in a quiet daemon finds all of it,
/// and terminals that never rest leave the io thread to the sockets.
///
/// Threads: one at a time.
/// Invariants: what is spent in a window is at most the share and the one turn that crossed it.
class LightBudget {
 public:
  static constexpr std::int64_t window_us = 10'000;
  static constexpr std::int64_t share_us = 2'000;

  /// Whether a turn may begin now.
  [[nodiscard]] bool allows(std::int64_t now_us) {
    if (now_us >= window_end_us_) {
      window_end_us_ = now_us + window_us;
      spent_us_ = 0;
    }
    return spent_us_ < share_us;
  }
  /// A turn that was allowed took so long.
  void spent(std::int64_t took_us) { spent_us_ += took_us; }

 private:
  std::int64_t window_end_us_ = 0;
  std::int64_t spent_us_ = 0;
};

}  // namespace troupe::actors
