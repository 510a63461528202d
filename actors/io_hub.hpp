// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The one bridge between actors and the io thread: `anon_send` in, `post` out.
/// Actors name connections and channels by ids; sockets, PTYs and timers never leave the io thread.

#include <caf/actor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/decisions/log.hpp"
#include "actors/decisions/ownership.hpp"
#include "actors/io_commands.hpp"
#include "base/unique_fd.hpp"
#include "pty/pty_service.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace caf {
class actor_system;
}  // namespace caf

namespace troupe::actors {

struct HubOptions {
  pty::PtyOptions pty;
  /// A finished connection whose client reads nothing for so long is closed.
  std::chrono::milliseconds linger{60'000};
};

/// The io thread's half of the service: takes the actors' commands over and hands each to the
/// connections (`IoConnections`), the channels (`IoChannels`) or the looks at what runs in front.
///
/// Threads: `post` and `connection_count` from any; everything else on the io thread. Actors get
///   messages, never calls.
/// Ownership: owns all connections and channels. Borrows the io_context.
/// Bounds: those of its halves.
/// Order: commands are run as they were posted; only a key that an actor writes while nothing is
///   waiting is written at once.
class IoHub {
 public:
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
///
/// Threads: that of its actor. Ownership: borrows the hub, which outlives every actor.
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
