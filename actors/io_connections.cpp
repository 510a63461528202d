// SPDX-License-Identifier: MIT
#include "actors/io_connections.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <caf/send.hpp>
#include <utility>

#include "actors/messages.hpp"

namespace troupe::actors {
namespace {

// A stopping daemon waits so long for its last answers to be read.
constexpr std::chrono::milliseconds farewell{300};
// A request of so many bytes is quickly read.
constexpr std::size_t light_frame_bytes = 4096;

}  // namespace

IoConnections::IoConnections(boost::asio::io_context& io, LightTurns& turns,
                             std::chrono::milliseconds linger, Hooks hooks)
    : io_(io),
      turns_(turns),
      linger_(linger),
      hooks_(std::move(hooks)),
      farewell_timer_(io),
      linger_timer_(io) {}

// -- what clients do -----------------------------------------------------------------------------

void IoConnections::accept(UniqueFd socket) {
  if (stopping_ || connections_.size() >= max_connections) {
    hooks_.log(LogLevel::warn, [] { return std::string{"a connection was refused"}; });
    return;
  }
  const ConnectionId id = ++last_id_;
  Connection& connection = connections_[id];
  count_.store(connections_.size());
  connection.stream = std::make_unique<transport::FramedStream>(io_, std::move(socket));
  connection.stream->start({
      [this, id](std::string payload) { on_frame(id, std::move(payload)); },
      [this, id](transport::StreamEnd end) { on_stream_end(id, end); },
      [this, id](const std::vector<transport::LaneCredit>& credits) { on_written(id, credits); },
      [this, id] { erase(id); },
  });
}

void IoConnections::on_frame(ConnectionId id, std::string payload) {
  Connection& connection = connections_.at(id);
  if (!connection.session) {
    connection.session = hooks_.new_session(id);
  }
  const Weight weight = payload.size() <= light_frame_bytes ? Weight::light : Weight::heavy;
  turns_.tell_now(connection.session, weight, FrameArrived{std::move(payload)});
}

void IoConnections::on_stream_end(ConnectionId id, transport::StreamEnd end) {
  const auto at = connections_.find(id);
  const bool had_session = static_cast<bool>(at->second.session);
  if (had_session) {
    caf::anon_send(at->second.session, StreamEnded{end});
  }
  if (end != transport::StreamEnd::half_closed || !had_session) {
    erase(id);
  }
}

void IoConnections::on_written(ConnectionId id, const std::vector<transport::LaneCredit>& credits) {
  const auto at = connections_.find(id);
  if (at->second.session) {
    turns_.tell_now(at->second.session, Weight::light, LanesWritten{credits});
  }
  give_read_credit(at->second);
}

void IoConnections::give_read_credit(Connection& connection) {
  if (connection.held_credit > 0 &&
      connection.stream->queued_bytes(transport::reply_lane) < reply_pause_bytes) {
    connection.stream->consumed(std::exchange(connection.held_credit, 0));
  }
}

void IoConnections::erase(ConnectionId id) {
  hooks_.log(LogLevel::debug, [id] { return "connection " + std::to_string(id) + " closed"; });
  connections_.erase(id);
  count_.store(connections_.size());
  if (stopping_ && connections_.empty()) {
    finish_stop();
  }
}

IoConnections::Connection* IoConnections::find(ConnectionId id) {
  const auto at = connections_.find(id);
  return at == connections_.end() ? nullptr : &at->second;
}

// -- what sessions ask for -----------------------------------------------------------------------

void IoConnections::send(io::Send& c) {
  Connection* const connection = find(c.connection);
  if (connection == nullptr) {
    return;
  }
  connection->stream->send(c.lane, std::move(c.frame));
  if (answered_.empty() || answered_.back() != c.connection) {
    answered_.push_back(c.connection);
  }
  if (connection->stream->queued_bytes(transport::reply_lane) > reply_limit_bytes) {
    hooks_.log(LogLevel::warn, [id = c.connection] {
      return "connection " + std::to_string(id) + " does not read its replies: closed";
    });
    on_stream_end(c.connection, transport::StreamEnd::closed);
  }
}

void IoConnections::flush_answered() {
  // By index, as a flush calls handlers; and the list keeps its room for the next key.
  for (std::size_t next = 0; next < answered_.size(); ++next) {
    if (Connection* const connection = find(answered_[next])) {
      connection->stream->flush();
    }
  }
  answered_.clear();
}

void IoConnections::consumed(const io::Consumed& c) {
  if (Connection* const connection = find(c.connection)) {
    connection->held_credit += c.bytes;
    give_read_credit(*connection);
  }
}

void IoConnections::expect_silence(const io::Silence& c) {
  if (Connection* const connection = find(c.connection)) {
    connection->stream->expect_silence();
  }
}

void IoConnections::close(const io::Close& c) {
  Connection* const connection = find(c.connection);
  if (connection == nullptr) {
    return;
  }
  connection->session = {};  // it is done with this connection
  if (c.how == io::CloseHow::now) {
    erase(c.connection);
  } else {
    connection->unread = connection->stream->queued_bytes();
    connection->lingers_until = Clock::now() + linger_;
    connection->stream->finish();
    arm_linger();
  }
}

void IoConnections::tell_lost(TerminalId terminal) {
  for (auto& [id, connection] : connections_) {
    if (connection.session) {
      caf::anon_send(connection.session, TerminalLost{terminal.value});
    }
  }
}

// -- a client that never reads its last answer must not hold it for ever; while it reads, it may --

void IoConnections::arm_linger() {
  if (lingering_) {
    return;
  }
  auto next = Clock::time_point::max();
  for (const auto& entry : connections_) {
    next = std::min(next, entry.second.lingers_until);
  }
  if (next == Clock::time_point::max()) {
    return;
  }
  lingering_ = true;
  linger_timer_.expires_at(next);
  linger_timer_.async_wait([this](const auto& error) {
    lingering_ = false;
    if (!error) {
      end_lingering();
      arm_linger();
    }
  });
}

void IoConnections::end_lingering() {
  const Clock::time_point now = Clock::now();
  std::vector<ConnectionId> over;
  for (auto& [id, connection] : connections_) {
    if (connection.lingers_until > now) {
      continue;
    }
    const std::size_t unread = connection.stream->queued_bytes();
    if (unread < connection.unread) {
      connection.unread = unread;
      connection.lingers_until = now + linger_;
    } else {
      over.push_back(id);
    }
  }
  for (const ConnectionId id : over) {
    hooks_.log(LogLevel::info, [id] {
      return "connection " + std::to_string(id) + " did not read its last answer: closed";
    });
    erase(id);
  }
}

// -- the end -------------------------------------------------------------------------------------

void IoConnections::stop() {
  stopping_ = true;
  std::vector<ConnectionId> idle;
  for (const auto& [id, connection] : connections_) {
    if (connection.session) {
      // Through its mailbox: what it was sent before, it still writes.
      caf::anon_send(connection.session, Farewell{});
    } else {
      idle.push_back(id);
    }
  }
  for (const ConnectionId id : idle) {
    connections_.erase(id);
  }
  if (connections_.empty()) {
    finish_stop();
    return;
  }
  farewell_timer_.expires_after(farewell);
  farewell_timer_.async_wait([this](const auto& error) {
    if (!error) {
      finish_stop();
    }
  });
}

void IoConnections::finish_stop() {
  if (std::exchange(stopped_, true)) {
    return;
  }
  farewell_timer_.cancel();
  for (const auto& entry : connections_) {
    if (entry.second.session) {
      caf::anon_send(entry.second.session, StreamEnded{transport::StreamEnd::closed});
    }
  }
  hooks_.stopped();
}

}  // namespace troupe::actors
