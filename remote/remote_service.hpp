// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The door of this module: opens SSH and telnet terminals as channels, like `pty::PtyService`
/// opens local ones.

#include <chrono>
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
class WorkerThreads;

/// Opens remote terminals. Each has a worker thread of its own; the io thread never waits for a
/// name, a handshake or a disk.
///
/// Threads: only the io thread that runs `io`; callbacks run there, never inside the call.
/// Ownership: borrows `io`. After the destructor no callback comes; it waits `farewell` at most for
///   workers that were told to end. One that sits in an uninterruptible name resolution ends by
///   itself later and touches nothing of ours.
/// Order: `done` is called once: with a channel when the session is ready or asks its first
///   question in the terminal, else with the error (host key, refused, time-out, authentication).
class RemoteService {
 public:
  using Opened = std::function<void(Result<std::unique_ptr<pty::Channel>>)>;

  static constexpr std::chrono::milliseconds farewell{300};

  explicit RemoteService(boost::asio::io_context& io,
                         std::chrono::milliseconds patience = farewell);
  RemoteService(const RemoteService&) = delete;
  RemoteService& operator=(const RemoteService&) = delete;
  ~RemoteService();

  void open_ssh(SshOptions options, pty::WindowSize size, Opened done);
  void open_telnet(TelnetOptions options, pty::WindowSize size, Opened done);

 private:
  boost::asio::io_context& io_;
  std::chrono::milliseconds patience_;
  std::shared_ptr<Outlet> outlet_;
  std::unique_ptr<WorkerThreads> threads_;
};

}  // namespace troupe::remote
