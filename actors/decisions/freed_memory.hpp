// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// When the allocator shall give back to the kernel what terminals held. It keeps freed blocks, as
/// the next terminal wants them again at once; sixty full ones leave it hundreds of MiB.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace troupe::actors {

/// Threads: none of its own; one caller at a time.
/// Invariants: due once for all that was freed, a moment after the last of it, however many follow
///   one another at most `patience_ms` after it was worth the while; never for less.
class FreedMemory {
 public:
  static constexpr std::size_t worth_bytes = std::size_t{16} * 1024 * 1024;
  static constexpr std::int64_t quiet_ms = 1000;
  static constexpr std::int64_t patience_ms = 10'000;

  void freed(std::size_t bytes, std::int64_t now_ms) {
    bytes_ += bytes;
    if (bytes_ >= worth_bytes) {
      latest_ms_ = latest_ms_.value_or(now_ms + patience_ms);
      due_ms_ = std::min(now_ms + quiet_ms, *latest_ms_);
    }
  }
  /// True where it is to be given back now; all is counted anew then.
  [[nodiscard]] bool take_due(std::int64_t now_ms) {
    if (!due_ms_ || *due_ms_ > now_ms) {
      return false;
    }
    *this = {};
    return true;
  }
  [[nodiscard]] std::optional<std::int64_t> deadline_ms() const { return due_ms_; }

 private:
  std::size_t bytes_ = 0;
  std::optional<std::int64_t> due_ms_;
  std::optional<std::int64_t> latest_ms_;
};

}  // namespace troupe::actors
