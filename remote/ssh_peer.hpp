// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// SSH as a `Peer`, through libssh: host key check before any authentication, agent, key files and
/// passwords (asked for in the terminal where they were not given), a shell on a PTY of the host.

#include <memory>

#include "remote/options.hpp"
#include "remote/peer.hpp"

namespace troupe::remote {

std::unique_ptr<Peer> make_ssh_peer(SshOptions options);

}  // namespace troupe::remote
