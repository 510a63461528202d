// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// When to look at a terminal's foreground process. The kernel tells of no change, so it is looked
/// at after something happened, and never otherwise.

#include <algorithm>
#include <cstdint>
#include <optional>

namespace troupe::actors {

/// Threads: one at a time.
/// Invariants: without an event there is no deadline; a terminal that never rests is looked at once
///   in `longest_us`.
class LookSchedule {
 public:
  static constexpr std::int64_t quiet_us = 250'000;
  static constexpr std::int64_t longest_us = 2'000'000;
  /// A command's mark comes before its process is there.
  static constexpr std::int64_t after_mark_us = 30'000;

  /// Output or input.
  void activity(std::int64_t now_us) {
    if (!first_us_) {
      first_us_ = now_us;
    }
    quiet_due_us_ = std::min(now_us + quiet_us, *first_us_ + longest_us);
  }
  /// A command began or ended.
  void mark(std::int64_t now_us) {
    if (!mark_due_us_) {
      mark_due_us_ = now_us + after_mark_us;
    }
  }
  [[nodiscard]] std::optional<std::int64_t> deadline_us() const {
    if (mark_due_us_ && quiet_due_us_) {
      return std::min(*mark_due_us_, *quiet_due_us_);
    }
    return mark_due_us_ ? mark_due_us_ : quiet_due_us_;
  }
  /// Whether to look now; then it is done until something happens again.
  bool take_due(std::int64_t now_us) {
    bool due = false;
    if (mark_due_us_ && *mark_due_us_ <= now_us) {
      mark_due_us_.reset();
      due = true;
    }
    if (quiet_due_us_ && *quiet_due_us_ <= now_us) {
      quiet_due_us_.reset();
      first_us_.reset();
      due = true;
    }
    return due;
  }

 private:
  std::optional<std::int64_t> first_us_;  // of the events that are not looked at yet
  std::optional<std::int64_t> quiet_due_us_;
  std::optional<std::int64_t> mark_due_us_;
};

}  // namespace troupe::actors
