// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A TCP connection that can be given up: the name is resolved and the addresses are tried in turn
/// under one deadline, and a cancel ends it at once.

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "remote/peer.hpp"

namespace troupe::remote {

/// A connected, non-blocking, close-on-exec socket. Errors name host, port and cause. Cloud
/// metadata addresses (169.254.169.254, fd00:ec2::254) are refused after resolution, so a name
/// cannot lead there.
Result<UniqueFd> tcp_connect(const std::string& host, std::uint16_t port,
                             std::chrono::milliseconds timeout, const Link& link);

}  // namespace troupe::remote
