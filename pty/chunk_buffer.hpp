// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Decides how much may be read and when it is delivered: the credit of a channel's output.

#include <cstddef>
#include <string>
#include <string_view>

#include "pty/channel.hpp"

namespace troupe::pty {

/// Bytes that were read and are not delivered, and the count of delivered chunks that are not
/// consumed.
///
/// The first bytes after a quiet moment go out at once. While a chunk is being consumed, what comes
/// gathers in the next one, which goes out when the first is consumed, or at `eager_bytes` so that
/// a fast program and its consumer overlap.
///
/// Threads: that of the stream.
/// Invariants: delivered-and-unconsumed chunks plus the gathering one never exceed
///   `max_unconsumed_chunks`; none exceeds `max_chunk_bytes`.
class ChunkBuffer {
 public:
  static constexpr std::size_t eager_bytes = 16 * 1024;

  /// How many bytes may be read now; 0 while there is no credit.
  [[nodiscard]] std::size_t room() const;
  /// At most `room()` bytes.
  void append(std::string_view bytes);
  /// Whether the gathered bytes are to be delivered now.
  [[nodiscard]] bool due() const;
  /// Whether there is anything gathered (at the end of the stream all of it goes out).
  [[nodiscard]] bool empty() const { return gathered_.empty(); }
  /// The chunk to deliver; takes one credit.
  std::string take();
  void consumed(std::size_t chunks);
  [[nodiscard]] std::size_t unconsumed() const { return unconsumed_; }

 private:
  std::string gathered_;
  std::size_t unconsumed_ = 0;
};

}  // namespace troupe::pty
