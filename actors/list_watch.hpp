// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who waits until `list` would tell something else. A number instead of a queue of events: who is
/// slow finds a later one, and nothing piles up for them.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "actors/ports.hpp"

namespace troupe::actors {

/// Threads: none of its own; one caller at a time.
/// Invariants: the revision only grows; all who wait know the present one; each is answered once,
///   unless cancelled.
/// Bounds: what the connections may have in flight.
class ListWatch {
 public:
  void wait(const ReplyTo& to, const protocol::request::TerminalsWait& wait, std::int64_t now_ms);
  void cancel(RequestKey key);
  /// The list is another one.
  void changed();
  void expire(std::int64_t now_ms);
  /// Nobody will hear of a change any more.
  void give_up(const Error& cause);

  /// When `expire` has something to do next.
  [[nodiscard]] std::optional<std::int64_t> deadline_ms() const;

 private:
  using Due = std::pair<std::int64_t, RequestKey>;
  struct Waiting {
    ReplyTo to;
    std::int64_t due_ms = 0;
  };

  std::uint64_t revision_ = 1;
  std::map<RequestKey, Waiting> waiting_;
  std::set<Due> due_;
};

}  // namespace troupe::actors
