// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A child process of ours from its start until it is reaped.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/unique_fd.hpp"
#include "pty/channel.hpp"

namespace troupe::pty {

/// Sends by pidfd, so never to a process that took over the number. Returns 0 or an errno.
int send_signal(int pidfd, int number);

/// Watches a child and keeps it as a zombie until reaping is allowed: as long as it is one, its pid
/// (which names the session and the first job) is not given to another process.
///
/// Threads: only the io thread.
/// Ownership: lives by itself until the child is reaped, so that no zombie is left.
class Child : public std::enable_shared_from_this<Child> {
 public:
  static std::shared_ptr<Child> watch(boost::asio::io_context& io, UniqueFd pidfd, int pid);

  Child(boost::asio::io_context& io, UniqueFd pidfd, int pid);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Where the io context ended first: reaps what is dead.
  ~Child();

  [[nodiscard]] int pid() const { return pid_; }
  /// Set once the exit was seen.
  [[nodiscard]] const std::optional<ExitStatus>& status() const { return status_; }
  [[nodiscard]] bool reaped() const { return reaped_; }

  /// Calls back when the exit is seen; at once where it already was.
  void on_exit(std::function<void(ExitStatus)> callback);
  /// Looks now; true where the child is dead.
  bool poll();
  /// 0 or an errno; ESRCH once the exit was seen.
  int send(int number);
  /// Reaps now, or as soon as the child dies.
  void allow_reap();

 private:
  void wait();
  void reap_if_allowed();

  int pid_;
  boost::asio::posix::stream_descriptor pidfd_;
  std::optional<ExitStatus> status_;
  bool may_reap_ = false;
  bool reaped_ = false;
  std::vector<std::function<void(ExitStatus)>> callbacks_;
};

}  // namespace troupe::pty
