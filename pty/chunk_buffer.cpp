// SPDX-License-Identifier: MIT
#include "pty/chunk_buffer.hpp"

#include <cassert>
#include <utility>

namespace troupe::pty {

std::size_t ChunkBuffer::room() const {
  return unconsumed_ < max_unconsumed_chunks ? max_chunk_bytes - gathered_.size() : 0;
}

void ChunkBuffer::append(std::string_view bytes) {
  assert(bytes.size() <= room());
  gathered_.append(bytes);
}

bool ChunkBuffer::due() const {
  return !gathered_.empty() && (unconsumed_ == 0 || gathered_.size() >= eager_bytes);
}

std::string ChunkBuffer::take() {
  ++unconsumed_;
  assert(unconsumed_ <= max_unconsumed_chunks);
  // A fresh string: an idle terminal keeps no buffer.
  return std::exchange(gathered_, std::string{});
}

void ChunkBuffer::consumed(std::size_t chunks) {
  assert(chunks <= unconsumed_);
  unconsumed_ -= chunks < unconsumed_ ? chunks : unconsumed_;
}

}  // namespace troupe::pty
