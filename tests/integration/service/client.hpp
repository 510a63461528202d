// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A plain blocking client: whole frames in and out, every wait bounded.

#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "daemon_process.hpp"
#include "protocol/codec.hpp"
#include "protocol/frame_decoder.hpp"

namespace troupe::testing {

class Client {
 public:
  explicit Client(const DaemonProcess& daemon);

  void send(const protocol::Request& request, const std::optional<protocol::RequestId>& id = {});
  void send_raw(const std::string& bytes);
  /// The next frame's payload; nothing when the daemon closed the connection.
  std::optional<std::string> read();
  /// The next frame as a message; fails the test where it is output or the end.
  protocol::ServerMessage read_message();
  /// Reads on until the reply to `id` comes; what comes before is dropped.
  protocol::Response read_reply(const protocol::RequestId& id);
  /// Output of a stream until it holds `wanted`; events in between are dropped.
  std::string read_output_until(const std::string& wanted);

 private:
  std::string token_;
  UniqueFd socket_;
  protocol::FrameDecoder decoder_;
  std::string pending_;
  std::string output_;
};

/// One request on a connection of its own.
protocol::Response ask(const DaemonProcess& daemon, const protocol::Request& request);

/// As `ask`, for a reply that must be of this kind.
template <class Reply>
Reply ask_for(const DaemonProcess& daemon, const protocol::Request& request) {
  return std::get<Reply>(ask(daemon, request));
}

/// Creates a terminal that runs `/bin/sh -c script`.
TerminalId create_shell(const DaemonProcess& daemon, const std::string& script);

/// The bytes that a terminal printed.
std::string replay_of(const DaemonProcess& daemon, TerminalId id);

}  // namespace troupe::testing
