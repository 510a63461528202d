// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// When output goes to the subscribers. A key press must not wait for a timer, and a program that
/// prints byte by byte must not cost a frame a byte.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/shared_bytes.hpp"

namespace troupe::actors {

/// A piece of output on its way to the subscribers.
struct OutputBatch {
  StreamOffset start = 0;
  SharedBytes bytes;
  [[nodiscard]] StreamOffset end() const { return start + bytes.size(); }
};

/// Joins output into batches: the first bytes after a quiet moment go out at once, what follows is
/// held until 8 KiB, 1 ms after the last batch, or a flush before the next event.
///
/// Threads: none of its own; one caller at a time.
/// Bounds: holds less than `batch_bytes`; a batch has at most max(batch_bytes, one input) + what
/// was held, and never more than `max_batch_bytes`.
/// Order: batches come out in offset order without gaps.
class OutputCoalescer {
 public:
  static constexpr std::size_t batch_bytes = 8U * 1024;
  static constexpr std::size_t max_batch_bytes = 64U * 1024;
  static constexpr std::int64_t batch_delay_us = 1'000;

  /// Takes output that begins at `start`, which must continue what came before.
  void add(StreamOffset start, const SharedBytes& bytes, std::int64_t now_us,
           std::vector<OutputBatch>& out);
  /// Gives out what is held: before an event, or at the deadline.
  void flush(std::int64_t now_us, std::vector<OutputBatch>& out);
  /// When `flush` is due, in steady microseconds; nothing while nothing is held.
  [[nodiscard]] std::optional<std::int64_t> deadline_us() const;
  /// Forgets what is held: nobody is attached.
  void discard() { held_.clear(); }

 private:
  std::string held_;
  StreamOffset held_start_ = 0;
  std::optional<std::int64_t> last_batch_us_;
};

}  // namespace troupe::actors
