// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Numeric settings from `TROUPE_*` variables, with default, floor and ceiling in one place.

#include <cstdint>
#include <optional>
#include <string>

namespace troupe {

/// The variable's value, or nothing where it is unset or empty. Not thread-safe against setenv,
/// which the project never calls after start.
std::optional<std::string> environment_value(const char* name);

/// The variable as a decimal number, clamped to floor … ceiling; `fallback` where it is unset or
/// unparsable.
std::uint64_t environment_number(const char* name, std::uint64_t fallback, std::uint64_t floor,
                                 std::uint64_t ceiling);

}  // namespace troupe
