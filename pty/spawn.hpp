// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Starts one child on a fresh PTY. The child shares the daemon's memory until it executes
/// (vfork), so that the cost does not grow with the daemon.

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "pty/launch_spec.hpp"

namespace troupe::pty {

/// A running child and the descriptors that lead to it.
///
/// Ownership: of a child that must be reaped. Who takes the child over takes all members;
///   destroying one that still has its `pidfd` kills the child and waits for it.
struct SpawnedChild {
  UniqueFd master;
  UniqueFd pidfd;
  int pid = 0;
  std::string tty_path;

  SpawnedChild() = default;
  SpawnedChild(SpawnedChild&&) noexcept = default;
  SpawnedChild& operator=(SpawnedChild&&) = delete;
  SpawnedChild(const SpawnedChild&) = delete;
  SpawnedChild& operator=(const SpawnedChild&) = delete;
  ~SpawnedChild();
};

/// What the daemon gives every child.
struct SpawnDefaults {
  Environment environment;       ///< the daemon's own
  std::uint64_t open_files = 0;  ///< soft RLIMIT_NOFILE of children; 0 leaves the daemon's
};

/// Starts the child: leader of a session of its own whose controlling terminal is the PTY, which is
/// its descriptors 0 … 2; no other descriptor, no blocked or ignored signal. A child that could not
/// execute is reaped before the error is returned.
///
/// Threads: any that may block for the time of an exec; all signals should be blocked in it.
Result<SpawnedChild> spawn(const LaunchSpec& spec, const SpawnDefaults& defaults);

}  // namespace troupe::pty
