// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The channel to a child on a PTY of this machine.

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pty/channel.hpp"
#include "pty/child.hpp"
#include "pty/process_scanner.hpp"
#include "pty/pty_stream.hpp"
#include "pty/spawn.hpp"

namespace troupe::pty {

/// Joins the stream of the master, the child, and the kill sequence.
///
/// The master is closed once the stream has ended and the child is dead, so a terminal that is kept
/// for reading costs no descriptor. The child is reaped then, unless members of its session live
/// on: then it stays a zombie until `terminate`, so that the session's number is still theirs.
class PtyChannel final : public Channel {
 public:
  PtyChannel(boost::asio::io_context& io, std::weak_ptr<ProcessScanner> scanner,
             SpawnedChild child);
  ~PtyChannel() override;

  void start(ChannelHandler handler) override;
  void consumed(std::size_t chunks) override;
  Result<> write(std::string bytes, WriteId id) override;
  [[nodiscard]] std::size_t queued_bytes() const override;
  Result<> resize(WindowSize size) override;
  void end_stream() override;
  void signal(int number, SignalTarget target, std::function<void(Result<>)> done) override;
  void terminate(std::function<void(TerminateResult)> done) override;
  void holders(std::function<void(std::vector<int>)> done) override;
  [[nodiscard]] std::optional<int> pid() const override;
  [[nodiscard]] std::optional<LineState> line_state() const override;

 private:
  void post(std::function<void()> call);
  void signal_session(int number, std::function<void(Result<>)> done);
  void settle_if_over();
  void on_killed(std::vector<int> survivors);
  void on_terminated(std::vector<int> survivors);

  boost::asio::io_context& io_;
  std::weak_ptr<ProcessScanner> scanner_;
  std::string tty_path_;
  std::shared_ptr<PtyStream> stream_;
  std::shared_ptr<Child> child_;
  std::shared_ptr<const ChannelHandler> handler_;
  bool terminating_ = false;
  bool settled_ = false;
  /// As the last walk saw them: once the master is closed they cannot be found any more.
  std::vector<ProcessInfo> known_holders_;
  std::optional<TerminateResult> result_;
  std::vector<std::function<void(TerminateResult)>> terminate_callbacks_;
  /// Callbacks hold it weakly: they are void once the channel is gone.
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace troupe::pty
