// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the load program does when it runs inside a terminal: `troupe-load child ROLE …`. The same
/// child runs under the daemon and under the bare loop, so that only the terminal differs.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

/// Roles:
///   bulk SOCKET KIND BYTES  waits for "go", prints the stream, asks for the device's status
///                           (ESC[5n) and says "done" when the answer came: by then the emulator
///                           has worked through everything before it
///   echo SOCKET             raw mode; returns every byte
///   idle                    sleeps until it is killed
/// Returns the exit status.
int run_child(const std::vector<std::string>& arguments);

/// What the child prints in the role `bulk`, before its question.
std::string bulk_output(std::string_view kind, std::size_t bytes);

}  // namespace troupe::bench
