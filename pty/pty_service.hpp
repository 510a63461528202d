// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The door of this module: starts children on PTYs and looks at processes, without ever blocking
/// the io thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pty/channel.hpp"
#include "pty/launch_spec.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::pty {

/// Asks for the foreground process of one terminal.
struct ForegroundQuery {
  std::uint64_t key = 0;  ///< the caller's own, e.g. the terminal id
  int leader_pid = 0;     ///< `Channel::pid()`
};
/// `process` is empty where there is none or it cannot be told; so is `cwd`, the leader's working
/// directory.
struct ForegroundAnswer {
  std::uint64_t key = 0;
  std::string process;
  std::string cwd;
};

struct PtyOptions {
  /// Soft RLIMIT_NOFILE of children; 0 leaves them the daemon's, which may have raised its own.
  std::uint64_t child_open_files = 0;
};

/// Owns the two threads that may block: one that launches, one that walks /proc.
///
/// Threads: only the io thread that runs `io`; callbacks run there, never inside the call. Reads
///   the environment once, in the constructor. SIGCHLD must not be ignored in this process.
/// Ownership: borrows `io`, which must outlive it, as must its channels' destruction.
/// Bounds: launches and walks are queued; walks that were asked for while one runs share the next.
/// Order: launches complete in the order in which they were asked for.
class PtyService {
 public:
  using Opened = std::function<void(Result<std::unique_ptr<Channel>>)>;
  using Foreground = std::function<void(std::vector<ForegroundAnswer>)>;

  explicit PtyService(boost::asio::io_context& io, PtyOptions options = {});
  PtyService(const PtyService&) = delete;
  PtyService& operator=(const PtyService&) = delete;
  /// Joins both threads; callbacks that are still due are dropped.
  ~PtyService();

  /// Starts a child on a fresh PTY. The error's message is the wire's: `bad_request` for a spec
  /// that no exec could take, `io` with `failed to spawn PROGRAM: No such file or directory`.
  void open(LaunchSpec spec, Opened done);

  /// One pass over /proc for all terminals: the deepest member of each terminal's foreground
  /// group, by its `comm`. Answers come in the order of the queries.
  void foreground(std::vector<ForegroundQuery> queries, Foreground done);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe::pty
