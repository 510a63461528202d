// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Which program runs in front of each terminal, and where: looked at for all terminals at once.

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "actors/io_commands.hpp"
#include "base/ids.hpp"
#include "pty/pty_service.hpp"

namespace troupe::actors {

/// Gathers the questions and answers them by one walk over the processes.
///
/// Threads: only the io thread.
/// Ownership: borrows both, which outlive it. No walk ends and no timer fires once the io_context
///   runs no more, so they are asked of `this`.
/// Bounds: one walk at a time; what nobody waits for is not looked at more often than every 15 ms,
///   nor than three times what the last walk took.
/// Order: terminals are told what changed before anybody who asked is answered.
class ForegroundLooks {
 public:
  ForegroundLooks(boost::asio::io_context& io, pty::PtyService& ptys);

  void look(io::Foreground request);
  /// The terminal is no more.
  void forget(TerminalId terminal);

 private:
  using Clock = std::chrono::steady_clock;
  using Terminals = std::unordered_map<std::uint64_t, caf::actor>;
  struct Look {
    int pid = 0;
    std::optional<ForegroundState> state;  ///< as the terminal was told
  };

  [[nodiscard]] bool is_fresh(const std::vector<io::Foreground::Query>& queries) const;
  void walk();
  void walk_when_rested();
  void on_walked(Clock::time_point started, const std::vector<io::Foreground>& served,
                 const Terminals& terminals, const std::vector<pty::ForegroundAnswer>& answers);
  void answer(const io::Foreground& request) const;

  pty::PtyService& ptys_;
  boost::asio::steady_timer timer_;
  std::unordered_map<std::uint64_t, Look> looks_;  ///< by terminal
  std::vector<io::Foreground> waiting_;
  Clock::time_point fresh_until_{};
  bool walking_ = false;
};

}  // namespace troupe::actors
