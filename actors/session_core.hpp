// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One client connection as the service sees it: its manners (one request, many, a stream, the
/// owner), authentication, and what it waits for. No CAF and no socket.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/decisions/output_coalescer.hpp"
#include "actors/decisions/request_table.hpp"
#include "actors/decisions/subscriber_set.hpp"
#include "actors/decisions/turnovers.hpp"
#include "actors/ports.hpp"
#include "protocol/codec.hpp"
#include "transport/framed_stream.hpp"

namespace troupe::actors {

/// What a session does to its connection. As `ports.hpp`: called on the thread that runs the core.
class ConnectionPort {
 public:
  virtual ~ConnectionPort() = default;
  virtual void send(transport::Lane lane, transport::OutFrame frame) = 0;
  virtual void consumed(std::size_t bytes) = 0;
  /// The client of a stream sends nothing more: a byte of it ends the stream.
  virtual void expect_silence() = 0;
  /// Closes when everything is written; the session is over.
  virtual void finish() = 0;
  /// Closes at once; the session is over.
  virtual void close() = 0;
};

enum class OwnerManners : std::uint8_t { no, yes };

/// Whom a session asks.
class ServicePort {
 public:
  virtual ~ServicePort() = default;
  virtual RequestKey fresh_key() = 0;
  /// False where there is no such terminal.
  virtual bool to_terminal(TerminalId id, RequestKey key, SubscriberId subscriber,
                           SubscriberId replaces, protocol::Request request) = 0;
  virtual void to_registry(RequestKey key, OwnerManners manners, protocol::Request request) = 0;
  virtual void list(RequestKey key) = 0;
  /// The counts of `status`; who the daemon is the session adds.
  virtual protocol::reply::Status status() = 0;
  virtual void acknowledge(TerminalId id, SubscriberId subscriber, std::size_t bytes) = 0;
  virtual void detach(TerminalId id, SubscriberId subscriber) = 0;
  /// Of a terminal's request, or of the registry's.
  virtual void cancel(std::optional<TerminalId> id, RequestKey key) = 0;
  virtual void owner_lost() = 0;
  virtual std::string not_found_text(TerminalId id) = 0;
};

/// What a daemon says of itself.
struct ServiceIdentity {
  std::string instance_id;
  std::string token;
  std::int32_t pid = 0;
  std::vector<std::string> features;
  std::int64_t started_ms = 0;  ///< Unix milliseconds
  bool standalone = false;
};

/// Threads: none of its own; one caller at a time.
/// Invariants: nothing is executed before the token was seen; a request is answered once; without
///   request ids a connection serves one request; a subscription's frames keep their order.
/// Order: requests to one terminal are executed as they came (Turnovers).
/// Bounds: RequestTable's; read credit is given back with the answer, for what may block at once;
///   unanswered input that wants an `ack` is at most `ack_limit_bytes`; what waits for a
///   `terminate` or a `restart` counts as in flight.
class SessionCore {
 public:
  static constexpr std::size_t ack_limit_bytes = 8U * 1024 * 1024;

  SessionCore(const ServiceIdentity& identity, ConnectionPort& connection, ServicePort& service);

  // From the connection.
  void on_frame(std::string payload);
  void on_end(transport::StreamEnd end);
  void on_written(const std::vector<transport::LaneCredit>& credits);

  // From terminals and the registry.
  void on_reply(RequestKey key, protocol::Response response);
  void on_output(SubscriberId subscriber, const OutputBatch& batch);
  void on_event(SubscriberId subscriber, std::size_t cost, const protocol::Response& event);
  void on_ended(SubscriberId subscriber, protocol::EndReason reason, StreamOffset offset);
  void on_superseded() { superseded_ = true; }
  void on_terminal_lost(TerminalId id);
  /// The service is over.
  void on_farewell() { finish(); }

  /// The connection is closed, or will be: the actor may end.
  [[nodiscard]] bool over() const { return over_; }

 private:
  struct Subscription {
    RequestKey key = 0;
    TerminalId terminal;
    StreamOffset next_offset = 0;
    std::size_t unacknowledged = 0;
  };
  enum class Manners : std::uint8_t { undecided, single, multiplexed };

  bool authenticate(const protocol::Incoming& incoming);
  bool settle_manners(const protocol::Incoming& incoming);
  void refuse(const protocol::Incoming& incoming, const protocol::Refused& refused);
  void execute(const std::optional<protocol::RequestId>& id, protocol::Request request,
               std::size_t bytes);
  void dispatch(RequestKey key, protocol::Request request);
  void dispatch_held(TerminalId terminal, RequestKey answered);
  protocol::reply::Status status();
  void to_terminal(RequestKey key, TerminalId id, protocol::Request request);
  void cancel(RequestKey key, const protocol::RequestId& target);
  void send_reply(const std::optional<protocol::RequestId>& id, const protocol::Response& response);
  void send_in_lane(SubscriberId subscriber, const std::optional<protocol::RequestId>& id,
                    const protocol::Response& response, std::size_t credit);
  void end_single();
  void finish();
  void close();
  void leave();
  [[nodiscard]] bool owner_with_old_manners() const {
    return owner_ && manners_ == Manners::single;
  }

  const ServiceIdentity& identity_;
  ConnectionPort& connection_;
  ServicePort& service_;
  RequestTable requests_;
  std::unordered_map<SubscriberId, Subscription> subscriptions_;
  std::unordered_map<RequestKey, std::size_t> acks_;  // input bytes that wait for the program
  std::size_t ack_bytes_ = 0;
  Turnovers turnovers_;
  Manners manners_ = Manners::undecided;
  bool authenticated_ = false;
  bool owner_ = false;
  bool superseded_ = false;
  bool asked_ = false;  // a single request was executed
  bool over_ = false;
};

}  // namespace troupe::actors
