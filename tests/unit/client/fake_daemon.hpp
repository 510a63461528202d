// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A daemon for tests of the client: a real socket, real frames, scripted answers.

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"
#include "protocol/codec.hpp"
#include "registration/registration.hpp"

namespace troupe::test {

/// Serves connections one after the other, each in the way that `serve` says.
class FakeDaemon {
 public:
  /// One accepted connection, for the script.
  class Peer {
   public:
    explicit Peer(UniqueFd fd) : fd_(std::move(fd)) {}
    /// The next request; a `Drop` outcome at the end of the stream.
    protocol::Incoming receive();
    void send(const protocol::Response& response, const protocol::Incoming& to);
    void send_bytes(const std::string& bytes);
    /// Nothing that was sent failed to be taken.
    [[nodiscard]] bool open() const { return open_; }
    [[nodiscard]] int fd() const { return fd_.get(); }

   private:
    UniqueFd fd_;
    bool open_ = true;
  };

  using Script = std::function<void(Peer&)>;
  FakeDaemon(std::vector<std::string> features, Script serve);
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;
  ~FakeDaemon();

  [[nodiscard]] const registration::Registration& registration() const { return registration_; }

 private:
  void accept_all(const Script& serve);

  std::filesystem::path directory_;
  registration::Registration registration_;
  UniqueFd listener_;
  std::thread thread_;
};

}  // namespace troupe::test
