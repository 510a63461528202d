// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The channel half of `IoHub`: programs and remote hosts by id, and the terminal actor behind
/// each.

#include <caf/actor.hpp>
#include <memory>
#include <unordered_map>

#include "actors/decisions/echo_watch.hpp"
#include "actors/io_commands.hpp"
#include "actors/light_turns.hpp"
#include "base/result.hpp"
#include "pty/channel.hpp"
#include "pty/pty_service.hpp"
#include "remote/remote_service.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::actors {

/// Output to terminals, input to programs; `start` begins it.
///
/// Threads: only the io thread.
/// Ownership: owns the channels. Borrows the rest, which outlives it.
/// Bounds: two unconsumed chunks a channel and its write queue (`pty::Channel`).
/// Order: a channel's news reach its terminal as they came, commands are run as they are asked.
class IoChannels {
 public:
  IoChannels(boost::asio::io_context& io, pty::PtyService& ptys, LightTurns& turns);
  IoChannels(const IoChannels&) = delete;
  IoChannels& operator=(const IoChannels&) = delete;

  void open(io::Open& c);
  void start(const io::Start& c);
  void credit(const io::Credit& c);
  void write(io::Write& c);
  void resize(const io::Resize& c);
  void end_stream(const io::EndStream& c);
  void signal(const io::Signal& c);
  void terminate(const io::Terminate& c);
  void holders(const io::Holders& c);
  void forget(const io::Forget& c);

  /// What is still being opened is dropped when it comes.
  void stop() { stopping_ = true; }
  /// Drops them all, without a word.
  void clear() { channels_.clear(); }

 private:
  struct Slot {
    std::unique_ptr<pty::Channel> channel;
    caf::actor terminal;
  };
  struct Opening {
    caf::actor reply_to;
    caf::actor start;
  };

  void on_opened(ChannelId id, Result<std::unique_ptr<pty::Channel>> channel);
  void start(ChannelId id, Slot& slot, const caf::actor& terminal);
  void watch_echo();
  Slot* find(ChannelId id);

  boost::asio::io_context& io_;
  pty::PtyService& ptys_;
  LightTurns& turns_;
  remote::RemoteService remotes_;
  EchoWatch echo_;
  const bool watches_;  // on one processor a watch would keep the program from answering
  std::unordered_map<ChannelId, Slot> channels_;
  std::unordered_map<ChannelId, Opening> opening_;
  bool stopping_ = false;
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);
};

}  // namespace troupe::actors
