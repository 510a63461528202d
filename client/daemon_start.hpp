// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Starts a daemon that outlives this process, and waits until it can be talked to. Nothing polls:
/// the registration's appearance and the daemon's early end are events.

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "client/client.hpp"
#include "client/export.hpp"

namespace troupe::client {

struct StartOptions {
  /// The daemon's program and arguments; empty: `trouped` beside this program, else from PATH, as a
  /// standalone daemon of the address.
  std::vector<std::string> command;
  std::chrono::milliseconds patience{15'000};
  /// Called once if it takes longer than a second.
  std::function<void()> on_slow;
};

/// The program `trouped`: `$TROUPE_DAEMON`, beside the running program, or from PATH.
TROUPE_CLIENT_EXPORT std::string daemon_program();

/// Finds the daemon or starts a standalone one. Several callers at once end up with one daemon.
TROUPE_CLIENT_EXPORT Result<Client> find_or_start(const DaemonAddress& address,
                                                  const StartOptions& options = {});

/// Waits until the daemon with this process id is gone. `timeout` at the deadline.
TROUPE_CLIENT_EXPORT Result<> wait_process_end(int pid, Deadline deadline);

}  // namespace troupe::client
