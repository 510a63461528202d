// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What actors ask of the io thread, as values: `IoHub` runs them there, in order. They name
/// connections and channels by id; one that is gone meanwhile makes its command do nothing.

#include <caf/actor.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "actors/launch.hpp"
#include "actors/messages.hpp"
#include "base/ids.hpp"
#include "pty/channel.hpp"
#include "pty/pty_service.hpp"
#include "transport/write_queue.hpp"

namespace troupe::actors {

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

}  // namespace troupe::actors
