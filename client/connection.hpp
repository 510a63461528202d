// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One connection to a daemon: many requests in flight, subscriptions, waits with deadlines. Usable
/// from an event loop (`fd`, `pump`, `next`) and by blocking calls (`call`, `wait_next`).

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "client/export.hpp"
#include "protocol/requests.hpp"
#include "protocol/responses.hpp"
#include "registration/registration.hpp"

namespace troupe::client {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// The deadline that lies `span` from now.
inline Deadline after(std::chrono::milliseconds span) {
  return Clock::now() + span;
}

/// A request of this connection, numbered from 1 in the order of sending.
using RequestNumber = std::uint64_t;

/// An answer to a request, or an event of a subscription.
struct Reply {
  RequestNumber request = 0;
  protocol::Response response;
  std::string payload;  ///< the frame as it came: JSON
};

/// Output of a subscription, bytes `start` … `end` of the terminal.
struct Output {
  RequestNumber request = 0;
  StreamOffset start = 0;
  StreamOffset end = 0;
  std::string bytes;
};

using Message = std::variant<Reply, Output>;

/// Whether a connection carries many requests (feature `request_id`) or, as with older daemons of
/// protocol 7, one.
enum class Mode : std::uint8_t { multiplexed, single };

/// One connected socket.
///
/// Threads: one at a time.
/// Order: messages of one subscription keep their order; replies may overtake output.
/// Bounds: holds at most `max_queued_bytes` of messages that nobody took (then `limit`: the caller
///   must take messages) and as much unsent; a frame is at most 8 MiB.
class TROUPE_CLIENT_EXPORT Connection {
 public:
  static constexpr std::size_t max_queued_bytes = std::size_t{64} * 1024 * 1024;

  /// Connects. `io` where nothing answers at the socket.
  static Result<Connection> open(const registration::Registration& registration);
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();

  [[nodiscard]] Mode mode() const;
  /// The daemon announced this feature.
  [[nodiscard]] bool has(std::string_view feature) const;

  // -- event loops
  // ---------------------------------------------------------------------------------
  /// To be watched for reading always, for writing while `wants_write`.
  [[nodiscard]] int fd() const;
  [[nodiscard]] bool wants_write() const;
  /// Queues a request; `pump` sends it. `limit` on a second one of a `single` connection, or with
  /// too much unsent.
  Result<RequestNumber> send(const protocol::Request& request);
  /// Sends and receives what is possible without waiting. An error means that the connection is
  /// over; messages that came before are still there to take.
  Result<> pump();
  /// Only sends, for a caller that does not want more messages now.
  Result<> flush();
  /// Output that comes from now on is dropped, for a caller that wants only replies.
  void ignore_output();
  /// The next message, if one is whole.
  std::optional<Message> next();

  // -- blocking
  // ------------------------------------------------------------------------------------
  /// Sends a request and waits for its first reply; other messages stay for `next`. An `error`
  /// reply becomes an `Error`. `timeout` at the deadline; the request is then cancelled.
  Result<Reply> call(const protocol::Request& request, Deadline deadline);
  /// The first reply to a request that was sent.
  Result<Reply> await(RequestNumber request, Deadline deadline);
  /// Waits for the next message. `timeout` at the deadline.
  Result<Message> wait_next(Deadline deadline);
  /// Asks the daemon to end a blocked request or a subscription.
  Result<> cancel(RequestNumber request);
  /// Blocking calls end with `cancelled` once this descriptor (a signalfd, an eventfd) is readable;
  /// -1 for none. Borrowed.
  void interrupt_on(int fd);
  /// `hook` is called once in each blocking call that takes longer than a second.
  void on_slow(std::function<void()> hook);

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace troupe::client
