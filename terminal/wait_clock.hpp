// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// When the waits of a terminal are over. Thousands may be pending, and each of their requests asks
/// for the earliest: no question looks at all of them.

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "terminal/requests.hpp"

namespace troupe::terminal {

/// When one wait was armed, when it ends at the latest, and how long an output may be ago.
struct WaitTiming {
  std::int64_t armed = 0;
  std::int64_t deadline = 0;  ///< not before `armed`
  std::optional<std::int64_t> idle_ms;
};

/// The deadlines of pending waits.
///
/// Threads: that of the terminal value.
/// Invariants: each wait is due at its deadline, or `idle_ms` after its arming and the last output
///   where that is earlier.
class WaitClock {
 public:
  void add(WaitId id, const WaitTiming& timing);
  void remove(WaitId id, const WaitTiming& timing);
  void output_seen(std::int64_t now);

  [[nodiscard]] std::int64_t due(const WaitTiming& timing) const;
  /// The earliest of all.
  [[nodiscard]] std::optional<std::int64_t> next() const;
  /// All that are due, in the order of their ids.
  [[nodiscard]] std::vector<WaitId> due_by(std::int64_t now) const;

 private:
  using Entry = std::pair<std::int64_t, WaitId>;
  struct Unseen {
    std::int64_t idle_at = 0;
    WaitId id = 0;
    std::int64_t idle_ms = 0;
    friend auto operator<=>(const Unseen&, const Unseen&) = default;
  };

  static Unseen unseen(WaitId id, const WaitTiming& timing);

  std::set<Entry> deadlines_;
  // Of waits that idleness may end before their deadline:
  std::set<Unseen> unseen_;  // no output since they were armed
  std::set<Entry> seen_;     // the others: how long after the last output
  std::int64_t last_output_ = INT64_MIN;
};

}  // namespace troupe::terminal
