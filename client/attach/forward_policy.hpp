// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The list of what may reach the outer terminal. It is a list of what is allowed, because a query
/// that nobody has thought of yet must not be answered into a program.

#include <string>
#include <string_view>

#include "client/attach/control_sequence.hpp"

namespace troupe::client {

/// `h`, `l` and the keyboard's `u` with a prefix are decided by the filter itself.
bool csi_allowed(const ControlSequence& sequence);
bool escape_allowed(char final);
/// Charsets and DECALN; not S7C1T and friends, and no announcer.
bool escape_intermediate_allowed(char intermediate, char final);
/// Titles, colours that are set, directory, links, notifications, clipboard writes, prompt marks.
bool osc_allowed(std::string_view payload);
/// A kitty graphics command's control data (`G…`, without payload) that asks for no answer.
std::string quiet_graphics(std::string_view control_data);

}  // namespace troupe::client
