// SPDX-License-Identifier: MIT
#include "terminal/output_log.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using troupe::Code;
using troupe::terminal::OutputLog;

// J-1
TEST_CASE("output_log: the newest bytes are kept exactly under any mix of appends") {
  std::mt19937 random(7);
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    OutputLog log(capacity);
    std::string all;
    for (int step = 0; step < 500; ++step) {
      std::string piece(random() % (step % 10 == 0 ? 200 : 9), ' ');
      for (char& c : piece) {
        c = static_cast<char>('a' + random() % 26);
      }
      log.append(piece);
      all += piece;
      REQUIRE(log.tail() == all.size());
      REQUIRE(log.tail() - log.head() == std::min(all.size(), capacity));
      const std::size_t offset = random() % (all.size() + 1);
      const auto slice = log.read(offset);
      REQUIRE(slice.ok());
      const std::size_t begin = std::max<std::size_t>(offset, log.head());
      REQUIRE(slice->bytes == all.substr(begin));
      REQUIRE(slice->available_offset == begin);
      REQUIRE(slice->end_offset == all.size());
      REQUIRE(slice->truncated == (offset < log.head()));
    }
  }
}

TEST_CASE("output_log: an offset beyond the tail is refused by name") {
  OutputLog log(16);
  log.append("abc");
  CHECK(log.read(3)->bytes.empty());
  const auto beyond = log.read(4);
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.error().code == Code::bad_request);
  CHECK(beyond.error().message == "requested offset 4 is beyond tail 3");
}

TEST_CASE("output_log: a quiet terminal takes no more memory than its output") {
  OutputLog log(2U * 1024 * 1024);
  log.append("prompt$ ");
  CHECK(log.memory_bytes() < 1024);
}
