// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The sockets on which metrics are served.

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "telemetry/metrics_address.hpp"

namespace troupe::telemetry {

/// `127.0.0.1:9464` or `[::1]:9464`.
std::string place_of(const MetricsAddress& address, std::uint16_t port);
/// A socket that listens at a numeric address. `busy` where somebody has it.
Result<UniqueFd> listen_tcp(const MetricsAddress& address);
/// The port that the kernel chose; 0 where that cannot be told.
std::uint16_t port_of(int socket);
/// Removes a socket that nobody serves; refuses everything else that stands there.
Result<> clear_path(const std::string& path);

}  // namespace troupe::telemetry
