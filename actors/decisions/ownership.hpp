// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who owns the daemon: the claim within five seconds of start, handoff tickets, live takeover, and
/// when the daemon must stop. Time is given by the caller, so the 120 s are tested at once.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace troupe::actors {

/// Names a client connection of the daemon; never reused.
using ConnectionId = std::uint64_t;

struct HandoffTicket {
  std::string ticket;
  std::int64_t expires_at_ms = 0;  ///< Unix milliseconds
};

/// A successful claim; `superseded` is an owner that was still connected.
struct Claim {
  std::optional<ConnectionId> superseded;
};

enum class Verdict : std::uint8_t { go_on, stop };

/// The ownership of one daemon: starting (5 s) -> owned -> waiting for a successor -> stopped.
///
/// Threads: none of its own; one caller at a time.
/// Invariants: at most one owner; a ticket wins once; nothing but a claim extends a deadline.
class Ownership {
 public:
  static constexpr std::int64_t claim_ms = 5'000;
  static constexpr std::int64_t handoff_ms = 120'000;

  enum class Mode : std::uint8_t { owned, standalone };

  Ownership(Mode mode, std::string instance_id, std::int64_t steady_ms);

  Result<Claim> claim(ConnectionId connection, std::string_view instance_id,
                      const std::optional<std::string>& ticket, std::int64_t steady_ms);
  /// Repeated inside the window it returns the same ticket. `fresh_ticket` is used for a new one.
  Result<HandoffTicket> prepare(ConnectionId connection, std::int64_t steady_ms,
                                std::int64_t wall_ms, std::string fresh_ticket);
  /// A connection ended: losing the owner without a prepared handoff stops the daemon.
  Verdict lost(ConnectionId connection, std::int64_t steady_ms);
  /// Deadlines that are due.
  Verdict expire(std::int64_t steady_ms);
  [[nodiscard]] std::optional<std::int64_t> deadline_ms() const;
  [[nodiscard]] bool is_owner(ConnectionId connection) const { return owner_ == connection; }
  /// After this every claim is refused.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  struct Prepared {
    HandoffTicket handoff;
    std::int64_t deadline_ms = 0;
  };

  Mode mode_;
  std::string instance_id_;
  std::optional<std::int64_t> claim_deadline_ms_;
  std::optional<ConnectionId> owner_;
  std::optional<Prepared> prepared_;
  bool stopped_ = false;
};

}  // namespace troupe::actors
