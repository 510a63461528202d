// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A side channel between the load program and its child inside a terminal: a private Unix socket.
/// With it a child says that it is ready or done without a byte through the terminal, and a
/// measured span holds neither its start nor a poll.

#include <string>

#include "base/unique_fd.hpp"

namespace troupe::bench {

/// The listening side; one accepted child at a time.
class Rendezvous {
 public:
  explicit Rendezvous(const std::string& directory, const std::string& name = "load.sock");
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  ~Rendezvous();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int listener() const { return listener_.get(); }
  /// Waits for the next child to connect.
  [[nodiscard]] UniqueFd accept() const;

 private:
  std::string path_;
  UniqueFd listener_;
};

/// The child's side.
UniqueFd connect_unix(const std::string& path);

/// One byte each way: "go" and "done".
void signal_peer(int fd);
void await_peer(int fd);

}  // namespace troupe::bench
