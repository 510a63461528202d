// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// This machine's name: what a shell writes into the URL of OSC 7, and so what tells a directory
/// here from one at the other end of an ssh.

#include <string>

namespace troupe {

/// The host name; empty where the system does not tell.
std::string local_host_name();

}  // namespace troupe
