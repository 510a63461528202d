// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The one bridge between actors and the io thread: `anon_send` in, `post` out.
/// Actors name connections and channels by ids; sockets, PTYs and timers never leave this file.

#include <caf/actor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/decisions/log.hpp"
#include "actors/decisions/ownership.hpp"
#include "actors/launch.hpp"
#include "actors/messages.hpp"
#include "base/unique_fd.hpp"
#include "pty/channel.hpp"
#include "pty/pty_service.hpp"
#include "transport/write_queue.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace caf {
class actor_system;
}  // namespace caf

namespace troupe::actors {

// -- what actors ask of the io thread ------------------------------------------------------------

namespace io {

struct Send {
  ConnectionId connection = 0;
  transport::Lane lane = 0;
  transport::OutFrame frame;
};
/// The session is done with so many bytes of requests.
struct Consumed {
  ConnectionId connection = 0;
  std::size_t bytes = 0;
};
/// A stream's client sends nothing more; a byte of it ends the stream.
struct Silence {
  ConnectionId connection = 0;
};
enum class CloseHow : std::uint8_t { after_writing, now };
struct Close {
  ConnectionId connection = 0;
  CloseHow how = CloseHow::after_writing;
};

/// Answered with `ChannelOpened` to `reply_to`; started at once for `start` where it is set.
struct Open {
  ChannelId channel = 0;
  Launch launch;
  caf::actor reply_to;
  caf::actor start;
};
struct Start {
  ChannelId channel = 0;
  caf::actor terminal;
};
struct Credit {
  ChannelId channel = 0;
  std::size_t chunks = 0;
};
struct Write {
  ChannelId channel = 0;
  std::string bytes;
  pty::WriteId id = 0;
  std::uint64_t note = 0;  ///< answered with `InputTyped` where it is not 0
};
struct Resize {
  ChannelId channel = 0;
  pty::WindowSize size;
};
struct EndStream {
  ChannelId channel = 0;
};
struct Signal {
  ChannelId channel = 0;
  int number = 0;
  pty::SignalTarget target = pty::SignalTarget::foreground;
  std::uint64_t token = 0;
};
struct Terminate {
  ChannelId channel = 0;
};
struct Holders {
  ChannelId channel = 0;
};
struct Forget {
  ChannelId channel = 0;
};

/// One pass over the processes; `ForegroundKnown` to `reply_to`, `ForegroundChanged` to the
/// terminals whose answer is another than before.
struct Foreground {
  struct Query {
    pty::ForegroundQuery query;
    caf::actor terminal;
  };
  RequestKey key = 0;
  caf::actor reply_to;  ///< nobody: a terminal looks because something happened, in its own time
  std::vector<Query> queries;
};

/// The agent socket that the newest attached client brought; empty when that client leaves.
struct Agent {
  SubscriberId subscriber = 0;
  std::string path;
};
/// A terminal is no more. Of a failed one the sessions hear: nobody will answer them.
enum class Death : std::uint8_t { ended, failed };
struct Lost {
  TerminalId terminal;
  Death death = Death::ended;
};
/// The end began: terminals are being ended.
struct Stopping {};
/// Every terminal is gone: connections close, then `stopped` is called.
struct Stop {};

using Command =
    std::variant<Send, Consumed, Silence, Close, Open, Start, Credit, Write, Resize, EndStream,
                 Signal, Terminate, Holders, Forget, Foreground, Agent, Lost, Stopping, Stop>;

}  // namespace io

struct HubOptions {
  pty::PtyOptions pty;
  /// A finished connection whose client reads nothing for so long is closed.
  std::chrono::milliseconds linger{60'000};
};

/// The io thread's half of the service: connections and channels, by id.
///
/// Threads: `post` from any; everything else on the io thread. Actors get messages, never calls.
/// Ownership: owns all connections and channels. Borrows the io_context.
/// Bounds: at most `max_connections`; a connection whose replies are not read holds at most
///   `reply_limit_bytes` of them and then closes, and its requests wait above `reply_pause_bytes`.
class IoHub {
 public:
  static constexpr std::size_t max_connections = 16'384;
  static constexpr std::size_t reply_pause_bytes = 4U * 1024 * 1024;
  static constexpr std::size_t reply_limit_bytes = 64U * 1024 * 1024;

  struct Hooks {
    Log log;
    std::function<caf::actor(ConnectionId)> new_session;
    std::function<void()> stopping;
    std::function<void()> stopped;
    std::function<void(const std::string& path)> agent_changed;  ///< empty: no agent is attached
  };

  IoHub(boost::asio::io_context& io, HubOptions options, Hooks hooks);
  IoHub(const IoHub&) = delete;
  IoHub& operator=(const IoHub&) = delete;
  ~IoHub();

  /// Actors of this system may have turns on the io thread, until `resign`.
  void adopt(caf::actor_system& system);
  void resign();
  /// Runs the commands on the io thread, in order.
  void post(std::vector<io::Command> commands);
  /// Connections that are open now. From any thread.
  [[nodiscard]] std::size_t connection_count() const;
  /// A client connected.
  void accept(UniqueFd socket);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Gathers an actor's commands of one message, so that they cost one wake-up of the io thread.
class IoBatch {
 public:
  explicit IoBatch(IoHub& hub) : hub_(hub) {}
  void add(io::Command command) { commands_.push_back(std::move(command)); }
  void flush() {
    if (!commands_.empty()) {
      hub_.post(std::exchange(commands_, {}));
    }
  }

 private:
  IoHub& hub_;
  std::vector<io::Command> commands_;
};

}  // namespace troupe::actors
