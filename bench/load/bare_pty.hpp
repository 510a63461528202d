// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The yardstick: a child on a PTY, and a loop that reads and throws away. What a daemon does is
/// told as a ratio to this, measured in the same run.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"

namespace troupe::bench {

/// A child under forkpty. Killed and reaped at the end of its life.
///
/// Threads: `drain` starts one of its own, which then owns the reading side.
class BarePty {
 public:
  /// Returns after the child's exec.
  explicit BarePty(const std::vector<std::string>& command);
  BarePty(const BarePty&) = delete;
  BarePty& operator=(const BarePty&) = delete;
  ~BarePty();

  [[nodiscard]] int master() const { return master_.get(); }
  /// Reads in a thread until the end and counts; answers the status question (ESC[5n) when it is
  /// the last thing in a read.
  void drain();

 private:
  void drain_loop();

  pid_t pid_ = -1;
  UniqueFd master_;
  std::thread reader_;
};

}  // namespace troupe::bench
