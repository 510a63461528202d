// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Names of signals, as `exited` reports them and `signal` takes them.

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// "SIGINT" for 2, "SIGRTMIN+3" for a real-time signal; "SIG" and the number for an unknown one.
std::string signal_name(int number);

/// The number of "SIGINT", "INT" or "int", of "RTMIN+3", or of a decimal number; nothing where
/// there is no such signal.
std::optional<int> signal_number(std::string_view name);

}  // namespace troupe
