// SPDX-License-Identifier: MIT
#include "pty/write_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace troupe::pty;

// PT-5
TEST_CASE("write_queue: short writes of every length keep the bytes and their order") {
  for (std::size_t step = 1; step <= 12; ++step) {
    WriteQueue queue;
    REQUIRE(queue.push("first ", 1));
    REQUIRE(queue.push("", 2));
    REQUIRE(queue.push("second", 0));
    REQUIRE(queue.push("third", 3));
    std::string out;
    std::vector<WriteId> complete;
    while (!queue.empty()) {
      const auto count = std::min(step, queue.front().size());
      out.append(queue.front().substr(0, count));
      for (const auto& written : queue.taken(count)) {
        CHECK(written.complete);
        complete.push_back(written.id);
      }
    }
    CAPTURE(step);
    CHECK(out == "first secondthird");
    CHECK(complete == std::vector<WriteId>{1, 2, 3});
    CHECK(queue.bytes() == 0);
  }
}

TEST_CASE("write_queue: a write that does not fit is refused whole") {
  WriteQueue queue;
  CHECK(queue.push(std::string(write_queue_bytes - 1, 'x'), 1));
  CHECK_FALSE(queue.push("ab", 2));
  CHECK(queue.bytes() == write_queue_bytes - 1);
  CHECK(queue.push("c", 3));
}

TEST_CASE("write_queue: empty writes cannot grow it without bound") {
  WriteQueue queue;
  std::size_t accepted = 0;
  while (accepted < write_queue_bytes && queue.push("", 0)) {
    ++accepted;
  }
  CHECK(accepted < write_queue_bytes);
}

TEST_CASE("write_queue: abandoning tells how far each write came") {
  WriteQueue queue;
  REQUIRE(queue.push("abcd", 1));
  REQUIRE(queue.push("efgh", 2));
  CHECK(queue.taken(3).empty());
  const auto lost = queue.abandon();
  REQUIRE(lost.size() == 2);
  CHECK(lost[0].written == 3);
  CHECK_FALSE(lost[0].complete);
  CHECK(lost[1].written == 0);
  CHECK(queue.empty());
  CHECK(queue.bytes() == 0);
}
