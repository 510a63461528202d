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
/// Bounds: as the connection's; a request that cannot be sent is answered with its error, and one
///   that the daemon leaves unanswered, 30 s (90 s for a `create`) beyond its own timeout, with
///   `timeout`.
class DaemonLink {
 public:
  using Then = std::function<void(Result<protocol::Response>)>;
  /// Every message of a subscription; output comes as a null pointer.
  using OnEvent = std::function<void(const protocol::Response*)>;

  explicit DaemonLink(client::DaemonAddress address) : address_(std::move(address)) {}

  /// Asks; starts a standalone daemon where none runs. `then` is called from `pump`, or at once
  /// where nothing could be sent. Returns the number to cancel by; 0 where nothing was sent.
  client::RequestNumber ask(const protocol::Request& request, Then then);
  /// A subscription; `on_event` is called until it ends, then with `event::Ended` (of a `shutdown`
  /// where the connection is lost) or the error that refused it.
  client::RequestNumber subscribe(const protocol::request::Subscribe& request, OnEvent on_event);
  void cancel(client::RequestNumber number);
  /// `hook` is called when terminals are made, renamed or closed, by whomever, when a program ends
  /// or is started again, and when the daemon is lost. An older daemon does not tell what others
  /// do.
  void on_terminals_changed(std::function<void()> hook) { terminals_changed_ = std::move(hook); }

  [[nodiscard]] bool has(std::string_view feature);
  /// -1 while not connected.
  [[nodiscard]] int fd() const;
  [[nodiscard]] bool wants_write() const;
  void pump();
  /// Ends with `timeout` what was to be answered by `now`.
  void expire(client::Deadline now);
  /// Ends with `cause` what waits for something to happen in a terminal, and what will; the
  /// commands that `run` started are waited for on.
  void end_waits(const Error& cause);
  /// Ends all that was asked with `cause`.
  void end_all(const Error& cause);
  /// Something that was asked is not answered yet.
  [[nodiscard]] bool busy() const;
  /// When the first request is given up; absent where none waits.
  [[nodiscard]] std::optional<client::Deadline> due() const;

 private:
  struct Waiting {
    Then then;
    client::Deadline deadline;
    bool changes_terminals = false;
    bool waits = false;  ///< for what may never happen
  };

  Result<> connect();
  void watch_list(std::uint64_t revision);
  void forget_watch(client::RequestNumber number);
  void lose(const Error& cause);
  void deliver(client::Reply reply);
  void end(client::RequestNumber number, const Error& cause);

  client::DaemonAddress address_;
  std::optional<client::Client> client_;
  std::optional<client::Connection> connection_;
  std::map<client::RequestNumber, Waiting> waiting_;
  std::map<client::RequestNumber, OnEvent> subscriptions_;
  std::optional<Error> no_waits_;
  client::RequestNumber list_watch_ = 0;  ///< 0 while the daemon does not tell
  std::function<void()> terminals_changed_;
};

}  // namespace troupe::mcp
