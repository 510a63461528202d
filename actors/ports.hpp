// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The rim of the decision classes: what a terminal does to the world, as small interfaces. The
/// actors implement them with messages; tests with recorders. Each is called by the core that was
/// given it, on the thread that runs the core, and calls nobody back before it returns.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/decisions/output_coalescer.hpp"
#include "actors/decisions/request_table.hpp"
#include "actors/decisions/subscriber_set.hpp"
#include "actors/launch.hpp"
#include "base/ids.hpp"
#include "protocol/responses.hpp"
#include "pty/channel.hpp"
#include "recording/recorder.hpp"

namespace troupe::actors {

/// One event for many subscribers; each session encodes it with its own request id.
using SharedResponse = std::shared_ptr<const protocol::Response>;

/// A client session as a terminal sees it. Never blocks, never fails: a session that is gone
/// swallows what comes.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  virtual void reply(RequestKey key, protocol::Response response) = 0;
  /// Output of a subscription; accounted with `output_cost`.
  virtual void output(SubscriberId subscriber, const OutputBatch& batch) = 0;
  /// An event of a subscription; accounted with `cost`.
  virtual void event(SubscriberId subscriber, std::size_t cost, const SharedResponse& event) = 0;
  /// The subscription is over; nothing follows.
  virtual void ended(SubscriberId subscriber, protocol::EndReason reason, StreamOffset offset) = 0;
};

/// Who asked, and under which key.
struct ReplyTo {
  std::shared_ptr<SessionSink> session;
  RequestKey key = 0;
  void operator()(protocol::Response response) const {
    if (session) {
      session->reply(key, std::move(response));
    }
  }
};

/// The terminal's far side: its channel on the io thread.
class ChannelPort {
 public:
  virtual ~ChannelPort() = default;
  virtual void consumed(std::size_t chunks) = 0;
  /// With a `note`, `TerminalCore::on_typed` comes with it before anything that the input causes.
  virtual void write(std::string bytes, pty::WriteId id, std::uint64_t note) = 0;
  virtual void resize(pty::WindowSize size) = 0;
  virtual void end_stream() = 0;
  /// Answered by `TerminalCore::on_signalled` with the same token.
  virtual void signal(int number, pty::SignalTarget target, std::uint64_t token) = 0;
  /// Answered by `on_terminated`.
  virtual void terminate() = 0;
  /// Answered by `on_holders`.
  virtual void holders() = 0;
  /// Looks at the foreground process; `on_foreground` comes where it is another one.
  virtual void look(int leader_pid) = 0;
  /// Drops the channel and starts another child; answered by `on_reopened`.
  virtual void reopen(Launch launch) = 0;
};

/// The recording of a terminal, as `recording::Recorder`; `TerminalCore::on_recorder` hears of it.
class RecordingPort {
 public:
  virtual ~RecordingPort() = default;
  virtual void begin() = 0;
  virtual void output(StreamOffset offset, const SharedBytes& bytes) = 0;
  virtual void input(std::string keys) = 0;
  virtual void masked_input() = 0;
  virtual void resize(pty::WindowSize size) = 0;
  virtual void error(const std::string& message) = 0;
  virtual void stop(recording::StopInfo info) = 0;
  [[nodiscard]] virtual std::uint64_t event_count() const = 0;
};

/// What became of input that was noted: whether the terminal took it, and whether its program hides
/// what is typed (nothing where that cannot be told).
struct TypedFate {
  bool taken = false;
  std::optional<bool> hidden;
};

/// Where a terminal publishes what others may know of it.
class TerminalBoard {
 public:
  virtual ~TerminalBoard() = default;
  virtual void publish(const protocol::TerminalInfo& info) = 0;
  virtual void moved(StreamOffset head, StreamOffset tail) = 0;
  /// What it holds and what waits for it; not with each byte.
  virtual void measured(std::size_t retained_bytes, std::size_t waits) = 0;
  /// What its subscribers' sockets have not taken: of all, and of the slowest.
  virtual void lagging(std::size_t total_bytes, std::size_t worst_bytes) = 0;
  /// The program ended, with what the terminal still keeps.
  virtual void exited(std::size_t retained_bytes) = 0;
  virtual void restarted() = 0;
  /// What `list` tells of its title or its child is another.
  virtual void changed() = 0;
  /// The terminal is terminated; `survivors` could not be killed.
  virtual void gone(const std::vector<std::int32_t>& survivors) = 0;
  /// The agent that a subscriber brought; empty when it leaves.
  virtual void agent(SubscriberId subscriber, std::string ssh_auth_sock) = 0;
};

}  // namespace troupe::actors
