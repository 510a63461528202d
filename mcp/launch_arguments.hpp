// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What `terminal_launch` asks for, as the daemon's `create`; a plain function, so that every kind
/// is tested without a host.

#include "mcp/arguments.hpp"
#include "protocol/requests.hpp"

namespace troupe::mcp {

/// Without `recording`, which depends on the daemon. A wrong argument is refused in `arguments`.
/// Empty texts and zeros are what they are for octowright-terminal: not given.
protocol::request::Create launch_request(Arguments& arguments);

}  // namespace troupe::mcp
