// SPDX-License-Identifier: MIT
#include "terminal/wait_clock.hpp"

#include <algorithm>

namespace troupe::terminal {
namespace {

bool may_idle(const WaitTiming& timing) {
  return timing.idle_ms && *timing.idle_ms < timing.deadline - timing.armed;
}

}  // namespace

WaitClock::Unseen WaitClock::unseen(WaitId id, const WaitTiming& timing) {
  return {timing.armed + *timing.idle_ms, id, *timing.idle_ms};
}

void WaitClock::add(WaitId id, const WaitTiming& timing) {
  deadlines_.emplace(timing.deadline, id);
  if (may_idle(timing)) {
    unseen_.insert(unseen(id, timing));
  }
}

void WaitClock::remove(WaitId id, const WaitTiming& timing) {
  deadlines_.erase({timing.deadline, id});
  if (may_idle(timing) && unseen_.erase(unseen(id, timing)) == 0) {
    seen_.erase({*timing.idle_ms, id});
  }
}

void WaitClock::output_seen(std::int64_t now) {
  last_output_ = now;
  for (const Unseen& wait : unseen_) {
    seen_.emplace(wait.idle_ms, wait.id);
  }
  unseen_.clear();
}

std::int64_t WaitClock::due(const WaitTiming& timing) const {
  const std::int64_t since = std::max(timing.armed, last_output_);
  return may_idle(timing) && *timing.idle_ms < timing.deadline - since ? since + *timing.idle_ms
                                                                       : timing.deadline;
}

std::optional<std::int64_t> WaitClock::next() const {
  if (deadlines_.empty()) {
    return std::nullopt;
  }
  std::int64_t earliest = deadlines_.begin()->first;
  if (!unseen_.empty()) {
    earliest = std::min(earliest, unseen_.begin()->idle_at);
  }
  if (!seen_.empty()) {
    earliest = std::min(earliest, last_output_ + seen_.begin()->first);
  }
  return earliest;
}

std::vector<WaitId> WaitClock::due_by(std::int64_t now) const {
  std::vector<WaitId> ids;
  for (auto at = deadlines_.begin(); at != deadlines_.end() && at->first <= now; ++at) {
    ids.push_back(at->second);
  }
  for (auto at = unseen_.begin(); at != unseen_.end() && at->idle_at <= now; ++at) {
    ids.push_back(at->id);
  }
  for (auto at = seen_.begin(); at != seen_.end() && last_output_ + at->first <= now; ++at) {
    ids.push_back(at->second);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace troupe::terminal
