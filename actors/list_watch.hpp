// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who waits until `list` would tell something else. A number instead of a queue of events: who is
/// slow finds a later one, and nothing piles up for them.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "actors/ports.hpp"
#include "actors/timed_replies.hpp"

namespace troupe::actors {

/// Threads: none of its own; one caller at a time.
/// Invariants: the revision only grows; all who wait know the present one; each is answered once,
///   unless cancelled.
/// Bounds: what the connections may have in flight.
class ListWatch {
 public:
  void wait(const ReplyTo& to, const protocol::request::TerminalsWait& wait, std::int64_t now_ms);
  void cancel(RequestKey key) { waiting_.cancel(key); }
  /// The list is another one.
  void changed();
  void expire(std::int64_t now_ms);
  /// Nobody will hear of a change any more.
  void give_up(const Error& cause);

  /// When `expire` has something to do next.
  [[nodiscard]] std::optional<std::int64_t> deadline_ms() const { return waiting_.next(); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  std::uint64_t revision_ = 1;
  TimedReplies waiting_;
};

}  // namespace troupe::actors
