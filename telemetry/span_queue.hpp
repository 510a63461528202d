// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What stands between the actors and a collector that may be slow, dead or hanging.

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "telemetry/port.hpp"

namespace troupe::telemetry {

/// Threads: any.
/// Bounds: `limit_bytes` of spans, in memory that is taken when they come. A span that does not fit
///   is refused: the oldest are kept, because they tell how it began.
class SpanQueue {
 public:
  static constexpr std::size_t default_limit_bytes = 1024U * 1024;

  explicit SpanQueue(std::size_t limit_bytes = default_limit_bytes)
      : most_(limit_bytes / sizeof(Span)) {}

  /// How many wait now; 0 where the span was refused.
  std::size_t push(const Span& span);
  /// The oldest ones, at most `most`.
  std::vector<Span> take(std::size_t most);
  [[nodiscard]] std::size_t size() const;

 private:
  std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<Span> spans_;
};

}  // namespace troupe::telemetry
