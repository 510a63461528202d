// SPDX-License-Identifier: MIT
#include "pty/chunk_buffer.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace troupe::pty;

TEST_CASE("chunk_buffer: the first byte after a quiet moment is due at once") {
  ChunkBuffer buffer;
  CHECK(buffer.room() == max_chunk_bytes);
  CHECK_FALSE(buffer.due());
  buffer.append("x");
  CHECK(buffer.due());
  CHECK(buffer.take() == "x");
  CHECK(buffer.empty());
}

TEST_CASE("chunk_buffer: while a chunk is consumed small output gathers in the next one") {
  ChunkBuffer buffer;
  buffer.append("a");
  CHECK(buffer.take() == "a");
  buffer.append("b");
  buffer.append("c");
  CHECK_FALSE(buffer.due());
  buffer.consumed(1);
  CHECK(buffer.due());
  CHECK(buffer.take() == "bc");
}

TEST_CASE("chunk_buffer: a large second chunk overlaps with the first") {
  ChunkBuffer buffer;
  buffer.append("a");
  CHECK(buffer.take() == "a");
  buffer.append(std::string(ChunkBuffer::eager_bytes, 'b'));
  CHECK(buffer.due());
  CHECK(buffer.take().size() == ChunkBuffer::eager_bytes);
}

// PT-3
TEST_CASE("chunk_buffer: never more than two chunks are read and not consumed") {
  ChunkBuffer buffer;
  std::size_t held = 0;
  for (int i = 0; i < 100 && buffer.room() > 0; ++i) {
    const std::string piece(buffer.room() < 4096 ? buffer.room() : 4096, 'x');
    held += piece.size();
    buffer.append(piece);
    if (buffer.due()) {
      buffer.take();
    }
  }
  CHECK(buffer.room() == 0);
  CHECK(buffer.unconsumed() <= max_unconsumed_chunks);
  CHECK(held <= max_unconsumed_chunks * max_chunk_bytes);
  buffer.consumed(buffer.unconsumed());
  CHECK(buffer.room() > 0);
}
