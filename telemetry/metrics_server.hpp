// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Serves `GET /metrics` to a Prometheus of this machine.

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "telemetry/settings.hpp"

namespace troupe::telemetry {

/// Threads: construct and destroy on one thread; `text` is called on the server's own.
/// Ownership: a Unix socket's file is 0600, replaces only a socket that nobody listens on, and is
///   removed at the end.
/// Bounds: 16 connections of at most 10 s, one request of 8 KiB each; more are closed at once.
class MetricsServer {
 public:
  using Text = std::function<std::string()>;

  /// `io` where the place cannot be had.
  static Result<std::unique_ptr<MetricsServer>> start(const MetricsPlace& place, Text text);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// The port that was given where 0 was asked for; 0 for a Unix socket.
  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  explicit MetricsServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe::telemetry
