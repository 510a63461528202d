// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The least that can stand between a client and a program: a process that passes keys and echoes
/// on between a Unix socket and a PTY, and does nothing else. It keeps no screen, reads no JSON and
/// asks for no token. What a key takes through it is what sockets and wake-ups cost on this
/// machine.

#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "bench/load/rendezvous.hpp"

namespace troupe::bench {

/// The process, with a program of its own inside.
class Relay {
 public:
  /// `directory`: for its socket.
  Relay(const std::string& directory, const std::vector<std::string>& program);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  /// The first connection gets the output; each later one sends one message, which becomes one key,
  /// and is answered and closed.
  [[nodiscard]] UniqueFd connect() const { return connect_unix(socket_.path()); }

 private:
  Rendezvous socket_;
  int pid_ = -1;
};

}  // namespace troupe::bench
