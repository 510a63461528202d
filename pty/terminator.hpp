// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Ends a session for certain: asks, insists, kills, and tells who is left.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "pty/channel.hpp"
#include "pty/child.hpp"
#include "pty/process_scanner.hpp"

namespace troupe::pty {

/// One kill sequence over a session and the descendants of its leader.
///
/// Killing the leader alone leaks helpers; killing groups misses the jobs of an interactive shell
/// (each has a group of its own) and those that made a session of their own. So it walks /proc,
/// takes a pidfd of each process (checked by start time), and sends SIGHUP, then SIGTERM, then
/// SIGKILL, with SIGCONT each, to those that still live. It goes on at once when they are all dead,
/// and looks again before it says so: a process may have forked meanwhile.
///
/// Threads: only the io thread.
/// Ownership: lives by its pending handlers until `done` was called. The leader stays a zombie
///   until then, then is reaped.
/// Bounds: `hang_up_grace + terminate_grace + kill_grace`, and two walks.
class Terminator : public std::enable_shared_from_this<Terminator> {
 public:
  using Done = std::function<void(std::vector<int> survivors)>;

  /// `refused` is called where a signal was not permitted (a program of another user), before
  /// SIGTERM: closing the PTY then makes the kernel send what we may not.
  static void run(boost::asio::io_context& io, std::weak_ptr<ProcessScanner> scanner,
                  std::shared_ptr<Child> leader, std::function<void()> refused, Done done);

  Terminator(boost::asio::io_context& io, std::weak_ptr<ProcessScanner> scanner,
             std::shared_ptr<Child> leader, std::function<void()> refused, Done done);

 private:
  /// A process that was found, its pidfd open.
  struct Found {
    int pid = 0;
    std::uint64_t start_time = 0;
    UniqueFd pidfd;
  };
  struct Member {
    int pid = 0;
    std::uint64_t start_time = 0;
    boost::asio::posix::stream_descriptor pidfd;
    bool alive = true;
  };

  static std::vector<Found> find(const ProcessTable& table, int leader);
  void scan();
  void on_found(std::vector<Found> found);
  void add(Found found);
  void signal(const Member& member);
  void on_death(std::size_t index);
  void arm();
  void on_grace_over();
  void finish();
  [[nodiscard]] bool tracked(const Found& found) const;
  [[nodiscard]] std::vector<int> living() const;

  boost::asio::io_context& io_;
  std::weak_ptr<ProcessScanner> scanner_;
  std::shared_ptr<Child> leader_;
  std::function<void()> refused_;
  Done done_;
  boost::asio::steady_timer timer_;
  std::vector<Member> members_;  ///< grows only, so an index names a member
  std::size_t stage_ = 0;
  bool scanning_ = false;
  bool signal_refused_ = false;
};

}  // namespace troupe::pty
