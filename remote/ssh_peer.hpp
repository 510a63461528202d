// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// SSH as a `Peer`, through libssh: the connection, the host key's check (`ssh_host_key`) before
/// any authentication (`ssh_login`), and a shell on a PTY of the host.

#include <memory>

#include "remote/options.hpp"
#include "remote/peer.hpp"

namespace troupe::remote {

std::unique_ptr<Peer> make_ssh_peer(SshOptions options);

}  // namespace troupe::remote
