// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How people write times: on the command line and in scenarios alike.

#include <chrono>
#include <optional>
#include <string_view>

namespace troupe {

inline constexpr std::chrono::hours longest_duration{24};

/// A whole or decimal number of seconds, or with `ms`, `s`, `m` or `h`: 0 … 24 h, rounded up to
/// whole milliseconds.
std::optional<std::chrono::milliseconds> duration_from_text(std::string_view text);

}  // namespace troupe
