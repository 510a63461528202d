// SPDX-License-Identifier: MIT
#include "mcp/excerpt.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using troupe::mcp::Caps;
using troupe::mcp::excerpt;

TEST_CASE("excerpt: short text stays as it is") {
  const auto cut = excerpt("a\nb\n", Caps{10, 100});
  CHECK(cut.text == "a\nb\n");
  CHECK_FALSE(cut.truncated);
}

TEST_CASE("excerpt: head and tail stay and the gap is counted") {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  const auto cut = excerpt(text, Caps{9, 10'000});
  CHECK(cut.truncated);
  CHECK(cut.text.find("line 0\nline 1\nline 2\n[... ") == 0);
  CHECK(cut.text.find("line 99\n") != std::string::npos);
  CHECK(cut.omitted_lines +
            static_cast<std::size_t>(std::count(cut.text.begin(), cut.text.end(), '\n')) - 1 ==
        100);
}

TEST_CASE("excerpt: the caps hold for every length and no character is cut") {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += i % 37 == 0 ? "\n" : "\xE4\xB8\xAD";
  }
  for (std::size_t bytes = 256; bytes < 1200; bytes += 7) {
    const auto cut = excerpt(text, Caps{1000, bytes});
    CHECK(cut.text.size() <= bytes);
    const std::size_t gap = cut.text.find("[...");
    REQUIRE(gap != std::string::npos);
    for (const std::string& part :
         {cut.text.substr(0, gap), cut.text.substr(cut.text.find("]\n") + 2)}) {
      CHECK((static_cast<unsigned char>(part.empty() ? 'a' : part[0]) & 0xC0U) != 0x80U);
      std::size_t continuations = 0;
      std::size_t leads = 0;
      for (const char c : part) {
        const auto byte = static_cast<unsigned char>(c);
        continuations += (byte & 0xC0U) == 0x80U ? 1 : 0;
        leads += byte >= 0xE0U ? 1 : 0;
      }
      CHECK(continuations == leads * 2);
    }
  }
}

TEST_CASE("excerpt: the line that names the gap counts among the lines") {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  for (const bool ends : {true, false}) {
    for (std::size_t lines = 3; lines < 20; ++lines) {
      const std::string_view whole = std::string_view(text).substr(0, text.size() - (ends ? 0 : 1));
      const auto cut = excerpt(whole, Caps{lines, 10'000});
      const auto newlines = std::count(cut.text.begin(), cut.text.end(), '\n');
      CHECK(static_cast<std::size_t>(newlines) + (ends ? 0 : 1) == lines);
    }
  }
  CHECK_FALSE(excerpt("a\nb\nc\n", Caps{3, 256}).truncated);
  CHECK(excerpt(std::string(1000, 'x') + "\n", Caps{3, 256}).text.size() <= 256);
}

TEST_CASE("excerpt: the bytes before the last lines end where those begin") {
  using troupe::mcp::bytes_before_last_lines;
  CHECK(bytes_before_last_lines("a\nbc\nd", 0) == 6);
  CHECK(bytes_before_last_lines("a\nbc\nd", 1) == 5);
  CHECK(bytes_before_last_lines("a\nbc\nd", 2) == 2);
  CHECK(bytes_before_last_lines("a\nbc\nd", 3) == 0);
  CHECK(bytes_before_last_lines("a\n", 1) == 2);
  CHECK(bytes_before_last_lines("a\n", 2) == 0);
  CHECK(bytes_before_last_lines("\n\n", 2) == 1);
  CHECK(bytes_before_last_lines("", 1) == 0);
}

TEST_CASE("excerpt: the bytes of so many lines hold their ends") {
  using troupe::mcp::bytes_of_lines;
  CHECK(bytes_of_lines("a\nbc\nd", 0) == 0);
  CHECK(bytes_of_lines("a\nbc\nd", 1) == 2);
  CHECK(bytes_of_lines("a\nbc\nd", 2) == 5);
  CHECK(bytes_of_lines("a\nbc\nd", 3) == 6);
  CHECK(bytes_of_lines("a\nbc\nd", 9) == 6);
  CHECK(bytes_of_lines("", 3) == 0);
}

TEST_CASE("excerpt: a list has room for its first row and for others up to its bytes") {
  using troupe::mcp::ListRoom;
  ListRoom room(10);
  CHECK(room.take(4));
  CHECK(room.take(4));
  CHECK_FALSE(room.take(0));
  ListRoom narrow(10);
  CHECK(narrow.take(3));
  CHECK_FALSE(narrow.take(6));
  ListRoom first(10);
  CHECK(first.take(11));
  CHECK_FALSE(first.take(0));
  ListRoom none(0);
  CHECK(none.take(0));
  CHECK_FALSE(none.take(0));
}
