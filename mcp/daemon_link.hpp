// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The daemon as the server's tools see it: requests with continuations on one connection, made
/// anew when it was lost.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "client/client.hpp"
#include "protocol/requests.hpp"
#include "protocol/responses.hpp"

namespace troupe::mcp {

/// Threads: one.
/// Order: requests about one terminal are executed in the order of asking.
/// Bounds: as the connection's; a request that cannot be sent is answered with its error.
class DaemonLink {
 public:
  using Then = std::function<void(Result<protocol::Response>)>;
  /// Every message of a subscription; output comes as an empty optional.
  using OnEvent = std::function<void(const protocol::Response*)>;

  explicit DaemonLink(client::DaemonAddress address) : address_(std::move(address)) {}

  /// Asks; starts a standalone daemon where none runs. `then` is called from `pump`, or at once
  /// where nothing could be sent. Returns the number to cancel by; 0 where nothing was sent.
  client::RequestNumber ask(const protocol::Request& request, Then then);
  /// A subscription; `on_event` is called until it ends (then with `event::Ended`, or a null
  /// pointer once the connection is lost).
  client::RequestNumber subscribe(const protocol::request::Subscribe& request, OnEvent on_event);
  void cancel(client::RequestNumber number);

  [[nodiscard]] bool has(std::string_view feature);
  /// -1 while not connected.
  [[nodiscard]] int fd() const;
  [[nodiscard]] bool wants_write() const;
  void pump();

 private:
  Result<> connect();
  void lose(const Error& cause);
  void deliver(client::Reply reply);

  client::DaemonAddress address_;
  std::optional<client::Client> client_;
  std::optional<client::Connection> connection_;
  std::map<client::RequestNumber, Then> waiting_;
  std::map<client::RequestNumber, OnEvent> subscriptions_;
};

}  // namespace troupe::mcp
