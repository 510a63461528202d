// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The headings under which `troupe --help` lists the commands.

namespace troupe::client::cli::group {

inline constexpr const char* terminals = "Terminals";
inline constexpr const char* typing = "Typing";
inline constexpr const char* looking = "Looking";
inline constexpr const char* commands = "Commands in a shell";
inline constexpr const char* recordings = "Recordings";
inline constexpr const char* sets = "Sets of terminals";
inline constexpr const char* daemon = "Daemon";

}  // namespace troupe::client::cli::group
