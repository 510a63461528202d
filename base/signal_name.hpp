// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Names of signals, as `exited` reports them and `signal` takes them: what one tells, the other
/// takes.

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// "SIGINT" for 2; "SIG" and the number where it has no name, as a real-time signal.
std::string signal_name(int number);
/// Nothing for nothing.
std::optional<std::string> signal_name(std::optional<int> number);

/// The number of "SIGINT", "INT" or "int", of "RTMIN+3", or of a decimal number, with "SIG" or
/// without; nothing where there is no such signal.
std::optional<int> signal_number(std::string_view name);

}  // namespace troupe
