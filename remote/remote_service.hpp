// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The door of this module: opens SSH and telnet terminals as channels, like `pty::PtyService`
/// opens local ones.

#include <functional>
#include <memory>

#include "base/result.hpp"
#include "pty/channel.hpp"
#include "remote/options.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::remote {

class Outlet;

/// Opens remote terminals. Each has a worker thread of its own; the io thread never waits for a
/// name, a handshake or a disk.
///
/// Threads: only the io thread that runs `io`; callbacks run there, never inside the call.
/// Ownership: borrows `io`. After the destructor no callback comes; workers that sit in an
///   uninterruptible name resolution end by themselves later and touch nothing of ours.
/// Order: `done` is called once: with a channel when the session is ready or asks its first
///   question in the terminal, else with the error (host key, refused, time-out, authentication).
class RemoteService {
 public:
  using Opened = std::function<void(Result<std::unique_ptr<pty::Channel>>)>;

  explicit RemoteService(boost::asio::io_context& io);
  RemoteService(const RemoteService&) = delete;
  RemoteService& operator=(const RemoteService&) = delete;
  ~RemoteService();

  void open_ssh(SshOptions options, pty::WindowSize size, Opened done);
  void open_telnet(TelnetOptions options, pty::WindowSize size, Opened done);

 private:
  boost::asio::io_context& io_;
  std::shared_ptr<Outlet> outlet_;
};

}  // namespace troupe::remote
