// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The daemon's Unix socket. Only the user's own processes get in: a token is worth nothing to
/// another uid.

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::transport {

/// Accepts connections of this process's own uid and of root; every other peer is closed at once.
///
/// Threads: only the io thread.
/// Ownership: owns the listening socket; the path is the caller's to remove.
/// Bounds: where the process has no descriptor left, accepting pauses for `retry_delay` and the
///   kernel's backlog holds the rest.
class Listener {
 public:
  using Accepted = std::function<void(UniqueFd)>;

  /// Binds and listens, private to the user under any umask. `io` where the path cannot be bound.
  static Result<std::unique_ptr<Listener>> open(boost::asio::io_context& io,
                                                const std::string& path);
  /// Takes a socket that listens already and does not block. Of a TCP socket every peer gets in:
  /// the kernel does not tell whose it is.
  static std::unique_ptr<Listener> adopt(boost::asio::io_context& io, UniqueFd listening);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  void start(Accepted accepted);
  /// No connection comes any more; the path stays.
  void close();

 private:
  class Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe::transport
