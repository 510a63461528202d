// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// When a screen shows a whole frame. A program draws one in several writes; who reads the screen
/// between two of them sees half of it.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace troupe::actors {

/// Whole is a screen at the end of a synchronized frame (mode 2026), and one whose output rests.
///
/// Threads: one at a time.
/// Invariants: a reader waits for output that rests at most `longest_rest_us`, for the end of a
///   synchronized frame at most `longest_frame_us`, also where the program never ends it.
class FrameWatch {
 public:
  static constexpr std::int64_t rest_us = 2'000;
  static constexpr std::int64_t longest_rest_us = 5'000;
  static constexpr std::int64_t longest_frame_us = 150'000;

  /// Output was shown. `open`: a synchronized frame is not complete after it.
  void shown(std::int64_t now_us, bool open) {
    ended_frame_ = open_since_us_.has_value() && !open;
    if (!open) {
      open_since_us_.reset();
    } else if (!open_since_us_) {
      open_since_us_ = now_us;
    }
    last_us_ = now_us;
  }

  /// When to answer who asked at `asked_us`, if nothing is shown until then. May be past.
  [[nodiscard]] std::int64_t ready_us(std::int64_t asked_us) const {
    if (open_since_us_) {
      return std::min(*open_since_us_, asked_us) + longest_frame_us;
    }
    return ended_frame_ ? asked_us : std::min(last_us_ + rest_us, asked_us + longest_rest_us);
  }

 private:
  std::int64_t last_us_ = std::numeric_limits<std::int64_t>::min() / 2;
  std::optional<std::int64_t> open_since_us_;
  bool ended_frame_ = false;
};

}  // namespace troupe::actors
