// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Input that waits until the terminal takes it. A value without descriptors, so that short writes
/// at every byte can be tested.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "pty/channel.hpp"

namespace troupe::pty {

/// A first-in-first-out queue of whole writes.
///
/// Invariants: the bytes come out exactly as they went in, each write in one piece; `bytes()` is at
///   most `write_queue_bytes`.
/// Bounds: a write that does not fit is refused whole; an empty queue keeps no memory.
class WriteQueue {
 public:
  /// False, and nothing is queued, where it does not fit.
  bool push(std::string bytes, WriteId id);
  [[nodiscard]] bool empty() const { return writes_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The next bytes to write: of the oldest write, not empty unless that write is.
  [[nodiscard]] std::string_view front() const;
  /// Says that the first `count` bytes of `front()` were taken. Returns the writes that are
  /// complete by that and have an id.
  std::vector<Written> taken(std::size_t count);
  /// Drops everything; returns what became of each write with an id.
  std::vector<Written> abandon();

 private:
  struct Write {
    std::string bytes;
    WriteId id = 0;
  };
  std::deque<Write> writes_;
  std::size_t bytes_ = 0;   ///< not taken, of all writes
  std::size_t offset_ = 0;  ///< taken, of the first write
};

}  // namespace troupe::pty
