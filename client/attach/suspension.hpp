// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What SIGTSTP does to an attach: while this process is stopped its window is a shell's, which
/// must find neither raw mode nor the program's modes there.

#include <string>

#include "client/attach/outer_terminal.hpp"
#include "client/attach/painter.hpp"

namespace troupe::client {

/// Gives the window back, stops this process, and takes the window again once somebody continues
/// it. Returns what is to be written then. Output that was not written before is stale: a repaint
/// has to follow.
std::string stop_and_come_back(OuterTerminal& outer, Painter& painter);

}  // namespace troupe::client
