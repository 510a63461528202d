// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Answers `GET /metrics` on the daemon's own io thread. A server of its own, because
/// prometheus-cpp's brings threads, knows no Unix sockets and listens to the world by default.

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/metrics_address.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::telemetry {

/// One request a connection, then it is closed.
///
/// Threads: only the io thread.
/// Ownership: owns its sockets; removes the file of its Unix socket if it is still its inode.
/// Bounds: `max_connections`, others are closed at once and counted; 8 KiB of request; 5 s to send
///   it and 5 s to take the answer. `render` runs at most every 100 ms: a text that young is given
///   again, so that nobody who scrapes in a loop costs the terminals their thread.
class MetricsServer {
 public:
  static constexpr std::size_t max_connections = 16;
  using Render = std::function<std::string()>;

  /// A Unix socket that nobody serves any more is replaced; another file is not. `busy` where
  /// somebody answers there, `io` where the address cannot be bound.
  static Result<std::unique_ptr<MetricsServer>> open(boost::asio::io_context& io,
                                                     const MetricsAddress& address,
                                                     Counters& counters, Render render);
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  ~MetricsServer();

  /// `http://127.0.0.1:9464/metrics`, with the port that the kernel chose, or `unix:/path`.
  [[nodiscard]] const std::string& url() const;

 private:
  class Impl;
  explicit MetricsServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe::telemetry
