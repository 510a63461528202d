// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The connection half of `IoHub`: clients' sockets by id, the session behind each, and how a
/// connection ends.

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <caf/actor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/decisions/log.hpp"
#include "actors/decisions/ownership.hpp"
#include "actors/io_commands.hpp"
#include "actors/light_turns.hpp"
#include "base/ids.hpp"
#include "base/unique_fd.hpp"
#include "transport/framed_stream.hpp"

namespace troupe::actors {

/// Sockets in, frames to sessions, answers out.
///
/// Threads: only the io thread; `count` from any.
/// Ownership: owns the streams. Borrows the io_context and the turns, which outlive it. No timer
///   fires once the io_context runs no more, so they are asked of `this`.
/// Bounds: at most `max_connections`, one more is closed at once. A connection whose replies are
///   not read holds at most `reply_limit_bytes` of them and then closes; above `reply_pause_bytes`
///   its requests wait. A finished one whose client reads nothing for `linger` is closed.
/// Order: frames reach the session as they came; what it sends leaves as `WriteQueue` has it.
class IoConnections {
 public:
  static constexpr std::size_t max_connections = 16'384;
  static constexpr std::size_t reply_pause_bytes = 4U * 1024 * 1024;
  static constexpr std::size_t reply_limit_bytes = 64U * 1024 * 1024;

  struct Hooks {
    Log log;
    std::function<caf::actor(ConnectionId)> new_session;
    std::function<void()> stopped;  ///< once, after `stop`
  };

  IoConnections(boost::asio::io_context& io, LightTurns& turns, std::chrono::milliseconds linger,
                Hooks hooks);
  IoConnections(const IoConnections&) = delete;
  IoConnections& operator=(const IoConnections&) = delete;

  void accept(UniqueFd socket);

  void send(io::Send& c);
  void consumed(const io::Consumed& c);
  void expect_silence(const io::Silence& c);
  void close(const io::Close& c);
  /// Once all is queued: what goes to one client goes in one piece.
  void flush_answered();

  /// Tells every session: nobody will answer for this terminal.
  void tell_lost(TerminalId terminal);
  /// Takes no more clients and says farewell to those there are; `stopped` follows when all are
  /// gone or a moment has passed.
  void stop();
  /// Drops them all, without a word.
  void clear() { connections_.clear(); }

  [[nodiscard]] std::size_t count() const { return count_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    std::unique_ptr<transport::FramedStream> stream;
    caf::actor session;           // spawned with the first frame
    std::size_t held_credit = 0;  // of requests, while their replies are not read
    std::size_t unread = 0;       // once it only has to be written out
    Clock::time_point lingers_until = Clock::time_point::max();
  };

  void on_frame(ConnectionId id, std::string payload);
  void on_stream_end(ConnectionId id, transport::StreamEnd end);
  void on_written(ConnectionId id, const std::vector<transport::LaneCredit>& credits);
  static void give_read_credit(Connection& connection);
  void arm_linger();
  void end_lingering();
  void finish_stop();
  void erase(ConnectionId id);
  Connection* find(ConnectionId id);

  boost::asio::io_context& io_;
  LightTurns& turns_;
  std::chrono::milliseconds linger_;
  Hooks hooks_;
  boost::asio::steady_timer farewell_timer_;
  boost::asio::steady_timer linger_timer_;
  bool lingering_ = false;
  std::vector<ConnectionId> answered_;  // since the last flush
  std::unordered_map<ConnectionId, Connection> connections_;
  std::atomic<std::size_t> count_{0};
  ConnectionId last_id_ = 0;
  bool stopping_ = false;
  bool stopped_ = false;
};

}  // namespace troupe::actors
