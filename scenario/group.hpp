// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The terminals of a scenario as the daemon has them.

#include <vector>

#include "client/client.hpp"
#include "protocol/terminal_info.hpp"
#include "scenario/reporter.hpp"

namespace troupe::scenario {

/// In the order in which they were started.
Result<std::vector<protocol::TerminalInfo>> list_group(client::Client& client,
                                                       const std::string& scenario);

bool any_running(const std::vector<protocol::TerminalInfo>& terminals);

enum class Force : std::uint8_t { no, yes };

/// Closes them, the last one first, as what depends on another was started after it. Failures are
/// reported; returns how many are left.
std::size_t close_all(client::Client& client, const std::vector<protocol::TerminalInfo>& terminals,
                      Force force, const Reporter& reporter);

}  // namespace troupe::scenario
