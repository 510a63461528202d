// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// When the io thread stays awake for the echo of a key.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "actors/decisions/light_budget.hpp"

namespace troupe::actors {

/// Most programs answer a key within a few dozen microseconds: less than it takes to fall asleep
/// and be woken again. So the io thread goes on asking for events that long instead of waiting for
/// one. A program that stays silent, as at a password, is watched ever more rarely.
///
/// Threads: one at a time.
/// Invariants: one channel is watched at a time; what the watches of a window take is at most the
///   share of a `LightBudget` of their own and one watch more.
class EchoWatch {
 public:
  static constexpr std::size_t key_bytes = 64;        ///< more is no key
  static constexpr std::int64_t longest_us = 300;     ///< a watch ends then
  static constexpr std::uint32_t most_skipped = 255;  ///< keys between two watches in vain

  /// Input was written to the channel. True: a watch begins.
  bool typed(std::uint64_t channel, std::size_t bytes, std::int64_t now_us) {
    if (bytes > key_bytes || watching_ || !budget_.allows(now_us)) {
      return false;
    }
    if (skip_ > 0) {
      --skip_;
      return false;
    }
    watching_ = true;
    channel_ = channel;
    since_us_ = now_us;
    return true;
  }

  /// The channel's program printed: nothing is left to watch for.
  void printed(std::uint64_t channel, std::int64_t now_us) {
    if (watching_ && channel_ == channel) {
      skipped_ = 0;
      end(now_us);
    }
  }

  /// Whether the watch goes on.
  bool watching(std::int64_t now_us) {
    if (watching_ && now_us - since_us_ >= longest_us) {
      skip_ = skipped_ = std::min(2 * skipped_ + 1, most_skipped);
      end(now_us);
    }
    return watching_;
  }

 private:
  void end(std::int64_t now_us) {
    watching_ = false;
    budget_.spent(now_us - since_us_);
  }

  bool watching_ = false;
  std::uint64_t channel_ = 0;
  std::int64_t since_us_ = 0;
  std::uint32_t skipped_ = 0;  // after the last watch in vain
  std::uint32_t skip_ = 0;     // of those, still to come
  LightBudget budget_;
};

}  // namespace troupe::actors
