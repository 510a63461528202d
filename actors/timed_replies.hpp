// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Requests that are answered later, at their time at the latest, and found by their keys: any
/// number may wait, and a connection that closes takes all of its own back.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actors/ports.hpp"

namespace troupe::actors {

/// Threads: none of its own; one caller at a time.
/// Invariants: what is taken is no longer there, so each is answered once, unless cancelled.
/// Bounds: what the connections may have in flight.
class TimedReplies {
 public:
  void add(const ReplyTo& to, std::int64_t due) {
    waiting_.emplace(to.key, Waiting{to, due});
    due_.emplace(due, to.key);
  }
  /// False where it is not there.
  bool cancel(RequestKey key) {
    const auto node = waiting_.extract(key);
    return !node.empty() && due_.erase({node.mapped().due, key}) > 0;
  }
  /// All, in the order in which they were asked.
  std::vector<ReplyTo> take_all() {
    due_.clear();
    std::vector<ReplyTo> taken;
    for (auto& [key, waiting] : std::exchange(waiting_, {})) {
      taken.push_back(std::move(waiting.to));
    }
    return taken;
  }
  /// Those whose time has come, the earliest first.
  std::vector<ReplyTo> take_due(std::int64_t now) {
    std::vector<ReplyTo> taken;
    while (!due_.empty() && due_.begin()->first <= now) {
      taken.push_back(std::move(waiting_.extract(due_.begin()->second).mapped().to));
      due_.erase(due_.begin());
    }
    return taken;
  }

  [[nodiscard]] std::optional<std::int64_t> next() const {
    return due_.empty() ? std::nullopt : std::optional{due_.begin()->first};
  }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    ReplyTo to;
    std::int64_t due = 0;
  };

  std::map<RequestKey, Waiting> waiting_;  // keys only grow
  std::set<std::pair<std::int64_t, RequestKey>> due_;
};

}  // namespace troupe::actors
