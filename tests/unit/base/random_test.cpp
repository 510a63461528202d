// SPDX-License-Identifier: MIT
#include "base/random.hpp"

#include <doctest/doctest.h>

#include <set>

TEST_CASE("random: hex values have the asked length and do not repeat") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string hex = troupe::random_hex(16);
    CHECK(hex.size() == 32);
    CHECK(hex.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(seen.insert(hex).second);
  }
}

TEST_CASE("random: terminal ids stay within 1 and 2^48-1") {
  for (int i = 0; i < 1000; ++i) {
    const auto id = troupe::random_terminal_id();
    CHECK(id.value >= 1);
    CHECK(id.value <= troupe::max_terminal_id);
  }
}
