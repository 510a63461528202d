// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where metrics are served. They carry no authentication, so nothing but this machine may reach
/// them.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace troupe::telemetry {

/// Exactly one of `path` and `host` is set.
struct MetricsAddress {
  std::string path;  ///< of a Unix socket
  std::string host;  ///< a numeric loopback address
  std::uint16_t port = 0;
  bool operator==(const MetricsAddress&) const = default;
};

/// `unix:PATH`, relative to `directory`, or `HOST:PORT` with a loopback HOST (`localhost`,
/// `127.x.y.z`, `[::1]`); port 0 lets the kernel choose. `bad_request` otherwise.
Result<MetricsAddress> parse_metrics_address(std::string_view text, const std::string& directory);

}  // namespace troupe::telemetry
