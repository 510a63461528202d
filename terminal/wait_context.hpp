// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the waits of a terminal have in common, whatever they wait for: the moment at which they
/// are answered, how long they may take, and the room that the answers of one event share.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "terminal/requests.hpp"

namespace troupe::terminal {

/// Longest timeout; a longer one is cut to it.
inline constexpr std::int64_t max_timeout_ms = 24LL * 60 * 60 * 1000;

/// Text that the answers of one event hold together; beyond it each is cut to `min_answer_bytes`
/// (and says so), so that thousands of waits on one exit cannot multiply the terminal's history.
inline constexpr std::size_t max_event_answer_bytes = 32U * 1024 * 1024;
inline constexpr std::size_t min_answer_bytes = 4096;

/// What the answers of waits are made of, at the moment they are made.
struct WaitContext {
  Now now;
  StreamOffset offset = 0;  ///< the output up to here precedes the answer
  StreamOffset tail = 0;
  Effects* out = nullptr;

  [[nodiscard]] std::int64_t deadline_after(std::int64_t timeout_ms) const {
    return now.steady_ms + std::min(timeout_ms, max_timeout_ms);
  }
};

/// How much text the answers of the present event still may hold.
class AnswerBudget {
 public:
  void begin_event() { taken_ = 0; }
  void take(std::size_t bytes) { taken_ += bytes; }
  /// Of `wanted` bytes, what the next answer may have.
  [[nodiscard]] std::size_t limit(std::size_t wanted) const {
    const std::size_t left = max_event_answer_bytes - std::min(taken_, max_event_answer_bytes);
    return std::min(wanted, std::max(left, min_answer_bytes));
  }

 private:
  std::size_t taken_ = 0;
};

}  // namespace troupe::terminal
