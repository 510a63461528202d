// SPDX-License-Identifier: MIT
#include "terminal/width.hpp"

#include <doctest/doctest.h>

#include <string_view>

using troupe::terminal::character_width;

TEST_CASE("width: code points have the columns that programs count") {
  CHECK(character_width('a') == 1);
  CHECK(character_width(0xE9) == 1);
  CHECK(character_width(0xAD) == 1);
  CHECK(character_width(0x301) == 0);
  CHECK(character_width(0x200B) == 0);
  CHECK(character_width(0xFEFF) == 0);
  CHECK(character_width(0x4E2D) == 2);
  CHECK(character_width(0x115F) == 2);
  CHECK(character_width(0x1161) == 0);
  CHECK(character_width(0x3164) == 2);
  CHECK(character_width(0x2E3A) == 1);
  CHECK(character_width(0x1F600) == 2);
  CHECK(character_width(0x1FAE8) == 2);
  CHECK(character_width(0x1F1E9) == 1);
  CHECK(character_width(0x10FFFF) == 1);
  CHECK(std::string_view{troupe::terminal::unicode_version()} == "15.0.0");
}

TEST_CASE("width: clusters join marks joiners tones and pairs of flags") {
  using troupe::terminal::extends_cluster;
  CHECK(extends_cluster('e', 0x301, 0));
  CHECK(extends_cluster(0x200D, 0x1F469, 0));
  CHECK(extends_cluster(0x1F44B, 0x1F3FD, 0));
  CHECK(extends_cluster(0x1F1E9, 0x1F1EA, 1));
  CHECK_FALSE(extends_cluster(0x1F1EA, 0x1F1E9, 2));
  CHECK_FALSE(extends_cluster('a', 'b', 0));
  CHECK_FALSE(extends_cluster('a', 0x4E2D, 0));
}
