// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Which ticks of an actor are on their way. One that was sent cannot be taken back: who forgot it
/// and sent another for the same deadline would have thousands on their way to a distant one.

#include <cstdint>
#include <vector>

namespace troupe::actors {

/// The ticks that an actor sent to itself and that have not come.
///
/// Threads: none of its own; one caller at a time.
/// Invariants: each is earlier than those that were sent before it, so the last comes first.
class Alarms {
 public:
  /// True where a tick has to be sent for `due`: none comes by then.
  [[nodiscard]] bool arm(std::int64_t due) {
    if (!coming_.empty() && coming_.back() <= due) {
      return false;
    }
    coming_.push_back(due);
    return true;
  }
  /// A tick came.
  void rang() {
    if (!coming_.empty()) {
      coming_.pop_back();
    }
  }

 private:
  std::vector<std::int64_t> coming_;
};

}  // namespace troupe::actors
