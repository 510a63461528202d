// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A client's way to a daemon's socket.

#include <chrono>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace troupe::transport {

/// Connects to the Unix socket at `path` and returns a non-blocking socket. `not_found` where
/// nobody listens, `timeout` where the daemon's backlog stays full, `io` otherwise; also where the
/// peer is another user's process, for the socket could be a trap for tokens.
///
/// Threads: any; blocks up to `timeout`.
Result<UniqueFd> connect(const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe::transport
