// SPDX-License-Identifier: MIT
#include "mcp/line_reader.hpp"

#include <doctest/doctest.h>

using troupe::mcp::LineReader;
using troupe::mcp::max_line_bytes;

TEST_CASE("line_reader: lines come out whole however the stream is cut") {
  LineReader reader;
  std::string heard;
  for (const char c : std::string("one\r\ntwo\n\nthree")) {
    reader.feed({&c, 1});
    while (auto line = reader.next()) {
      heard += "<" + *line + ">";
    }
  }
  CHECK(heard == "<one><two><>");
}

TEST_CASE("line_reader: what came after the last line end is a line at the end of the stream") {
  LineReader reader;
  reader.feed("one\nlast\r");
  CHECK(reader.next() == "one");
  CHECK_FALSE(reader.next());
  CHECK(reader.rest() == "last");
  CHECK_FALSE(reader.rest());
  reader.feed(std::string(max_line_bytes + 1, 'x'));
  CHECK_FALSE(reader.next());
  reader.feed("still of the line that was too long");
  CHECK_FALSE(reader.rest());
}

TEST_CASE("line_reader: a line over the limit is dropped and the next one is read") {
  LineReader reader;
  const std::string block(1024 * 1024, 'x');
  for (std::size_t sent = 0; sent <= max_line_bytes; sent += block.size()) {
    reader.feed(block);
    CHECK_FALSE(reader.next());
  }
  reader.feed("tail\nnext\n");
  CHECK(reader.next() == "next");
  CHECK_FALSE(reader.next());
}
