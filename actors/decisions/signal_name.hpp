// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Signals as the wire names them.

#include <optional>
#include <string>

namespace troupe::actors {

/// "SIGKILL" for 9; a number that has no name as "SIG64". Nothing for nothing.
std::optional<std::string> signal_name(std::optional<int> number);

}  // namespace troupe::actors
