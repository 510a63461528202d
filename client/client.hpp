// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A daemon as a client sees it: found by name, asked by calls. Hides whether it takes many
/// requests on a connection or one.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.hpp"
#include "client/connection.hpp"
#include "client/export.hpp"
#include "registration/registration.hpp"

namespace troupe::client {

/// Which daemon: its name under a root directory (empty: the default root).
struct DaemonAddress {
  std::string name = "default";
  std::string root;
};

/// Reads the registration and checks that this library can talk to it. `not_found` where no daemon
/// of that name is registered, `unsupported` where it speaks another protocol version.
TROUPE_CLIENT_EXPORT Result<registration::Registration> find_daemon(const DaemonAddress& address);

/// What a reply brought, as `Wanted` (`protocol::reply::Snapshot` …); another type is `internal`.
template <class Wanted>
Result<Wanted> reply_as(Result<Reply> reply) {
  if (!reply) {
    return reply.error();
  }
  Wanted* const wanted = std::get_if<Wanted>(&reply->response);
  if (wanted == nullptr) {
    return Error{Code::internal, "the daemon gave another kind of answer"};
  }
  return std::move(*wanted);
}

/// Requests to one daemon.
///
/// Threads: one at a time.
/// Ownership: with a daemon that multiplexes, one kept connection; else a connection a call.
class TROUPE_CLIENT_EXPORT Client {
 public:
  /// How long a call waits by default: longer than the daemon ever needs.
  static constexpr std::chrono::milliseconds patience{10'000};

  /// Finds the daemon and connects.
  static Result<Client> open(const DaemonAddress& address);
  static Result<Client> open(const registration::Registration& registration);
  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;
  ~Client();

  [[nodiscard]] const registration::Registration& registration() const;
  [[nodiscard]] bool has(std::string_view feature) const;

  /// One request and its reply. An `error` reply is an `Error`; `io` where the connection ended.
  Result<Reply> call(const protocol::Request& request, std::chrono::milliseconds wait = patience);

  /// The same as `reply_as<Wanted>`.
  template <class Wanted>
  Result<Wanted> ask(const protocol::Request& request, std::chrono::milliseconds wait = patience) {
    return reply_as<Wanted>(call(request, wait));
  }

  /// Calls end with `cancelled` once this descriptor is readable; -1 for none. Borrowed.
  void interrupt_on(int fd);
  /// `hook` is called once in each call that takes longer than a second.
  void on_slow(std::function<void()> hook);

  /// A connection of its own, for subscriptions and waits in parallel.
  [[nodiscard]] Result<Connection> connect() const;

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace troupe::client
