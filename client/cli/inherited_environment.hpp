// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The person's environment for a new terminal. A daemon that was started days ago has another PATH
/// and another DISPLAY than the shell that asks.

#include <map>
#include <string>

namespace troupe::client::cli {

/// This process's environment without what belongs to its own terminal or session: TERM, the size,
/// multiplexers, service managers, and what troupe itself sets.
std::map<std::string, std::string> inherited_environment();

}  // namespace troupe::client::cli
