// SPDX-License-Identifier: MIT
#include "telemetry/span_queue.hpp"

#include <algorithm>

namespace troupe::telemetry {

std::size_t SpanQueue::push(const Span& span) {
  const std::lock_guard lock(mutex_);
  if (spans_.size() >= most_) {
    return 0;
  }
  spans_.push_back(span);
  return spans_.size();
}

std::vector<Span> SpanQueue::take(std::size_t most) {
  const std::lock_guard lock(mutex_);
  const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(std::min(most, spans_.size()));
  std::vector<Span> taken(spans_.begin(), end);
  spans_.erase(spans_.begin(), end);
  return taken;
}

std::size_t SpanQueue::size() const {
  const std::lock_guard lock(mutex_);
  return spans_.size();
}

}  // namespace troupe::telemetry
