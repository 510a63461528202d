// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The newest raw bytes of a terminal, addressed by their absolute offsets.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace troupe::terminal {

struct ReplaySlice {
  StreamOffset available_offset = 0;
  StreamOffset end_offset = 0;
  bool truncated = false;
  std::string bytes;
};

/// A ring of bytes that never renumbers them.
///
/// Threads: that of the terminal value.
/// Bounds: exactly the newest `capacity` bytes are kept; a quiet terminal holds only what it wrote.
/// Invariants: head() <= tail(), tail() - head() <= capacity; offsets only grow.
class OutputLog {
 public:
  explicit OutputLog(std::size_t capacity);

  void append(std::string_view bytes);

  [[nodiscard]] StreamOffset head() const { return tail_ - ring_.size(); }
  [[nodiscard]] StreamOffset tail() const { return tail_; }
  /// Bytes from `offset` to the tail; an offset before the head is answered from the head and
  /// `truncated`, one beyond the tail is `bad_request`.
  [[nodiscard]] Result<ReplaySlice> read(StreamOffset offset) const;
  [[nodiscard]] std::size_t memory_bytes() const { return ring_.capacity(); }

 private:
  std::size_t capacity_;
  StreamOffset tail_ = 0;
  std::string ring_;  // the byte at offset o stands at index o % capacity_
};

}  // namespace troupe::terminal
