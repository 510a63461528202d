// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The system calls on a PTY pair, each once, with errors as values. None of them blocks.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "pty/channel.hpp"

namespace troupe::pty {

/// A fresh pair; both ends are CLOEXEC from birth, the master is non-blocking.
struct PtyPair {
  UniqueFd master;
  UniqueFd slave;
  std::string slave_path;
};

/// Opens a pair of the given size, with the kernel's default line discipline. The slave is opened
/// by way of the master, not by its path, and does not become anybody's controlling terminal.
Result<PtyPair> open_pty(WindowSize size);

/// `io` with the text of `errno_value` behind `what`.
Error system_error(const std::string& what, int errno_value);

Result<> set_window_size(int master, WindowSize size);
std::optional<LineState> line_state_of(int master);
/// The terminal's foreground process group, or nothing.
std::optional<int> foreground_group_of(int master);
/// Whether anything has the slave open.
bool slave_is_open(int master);

}  // namespace troupe::pty
