// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A client of the wire that shares no code with the daemon under test: any protocol 7 daemon can
/// be measured, and a fault of our own codec cannot hide in both sides.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace troupe::bench {

/// Where a daemon listens and what lets a client in.
struct Endpoint {
  std::string socket;
  std::string token;
};

/// One frame's payload. An output frame starts with byte 0 (or 1 on a multiplexed connection).
class Frame {
 public:
  explicit Frame(std::string payload) : payload_(std::move(payload)) {}

  [[nodiscard]] bool is_output() const { return !payload_.empty() && payload_[0] <= 1; }
  [[nodiscard]] const std::string& json() const { return payload_; }
  /// The bytes of an output frame.
  [[nodiscard]] std::string_view output() const;

 private:
  std::string payload_;
};

/// A connection. Blocking: `read` waits up to a minute, then throws.
class Connection {
 public:
  explicit Connection(const Endpoint& endpoint);

  /// Sends an envelope around `request`, a JSON object without the braces; `request_id` where one
  /// is given.
  void send(std::string_view request, std::string_view request_id = {});
  [[nodiscard]] Frame read();
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  void read_exactly(char* into, std::size_t bytes);

  std::string token_;
  UniqueFd fd_;
  // Never filled with zeros: to clear it for each answer would cost more than a key's whole way,
  // and take the caches from the daemon, which often runs on the same processor.
  std::unique_ptr<char[]> buffer_;
  std::size_t received_ = 0;  // bytes in the buffer
  std::size_t consumed_ = 0;  // of these, already read
};

}  // namespace troupe::bench
