// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

TEST_CASE("utf8: well-formed text is kept and ill-formed parts become one replacement each") {
  CHECK(troupe::to_valid_utf8("a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x99\x82") ==
        "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x99\x82");
  CHECK(troupe::to_valid_utf8("\xFF") == "\xEF\xBF\xBD");
  CHECK(troupe::to_valid_utf8("a\xE4\xB8z") == "a\xEF\xBF\xBDz");
  CHECK(troupe::to_valid_utf8("\xC0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(troupe::to_valid_utf8("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(troupe::to_valid_utf8("\xF0\x9F\x99") == "\xEF\xBF\xBD");
}

TEST_CASE("utf8: validity follows the Unicode ranges") {
  CHECK(troupe::is_valid_utf8(""));
  CHECK(troupe::is_valid_utf8("\xF4\x8F\xBF\xBF"));
  CHECK_FALSE(troupe::is_valid_utf8("\xF4\x90\x80\x80"));
  CHECK_FALSE(troupe::is_valid_utf8("\xE0\x9F\xBF"));
  CHECK_FALSE(troupe::is_valid_utf8("\x80"));
  CHECK(troupe::utf8_character_length("\xE2\x9C\x93x") == 3);
  CHECK(troupe::utf8_character_length("\xE2\x9C") == 0);
  CHECK(troupe::utf8_character_length("") == 0);
}

TEST_CASE("utf8: text is valid where nothing in it has to be replaced") {
  std::mt19937 random(11);
  const std::string bytes =
      "ax\x80\xBF\x9F\xA0\x8F\x90\xC1\xC2\xDF\xE0\xE1\xED\xEF\xF0\xF3\xF4\xF5\xFF";
  std::size_t valid = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text(random() % 8, 'a');
    for (char& c : text) {
      c = bytes[random() % bytes.size()];
    }
    const bool wanted = troupe::to_valid_utf8(text) == text;
    valid += wanted && text.size() > 2 ? 1U : 0U;
    if (troupe::is_valid_utf8(text) != wanted) {
      CAPTURE(text);
      CHECK(troupe::is_valid_utf8(text) == wanted);
    }
  }
  CHECK(valid > 500);
}

TEST_CASE("utf8: an ill-formed byte is found behind and before any length of ASCII") {
  for (std::size_t at = 0; at < 80; ++at) {
    std::string text(80, 'x');
    CHECK(troupe::is_valid_utf8(text));
    text[at] = '\xBD';
    CHECK_FALSE(troupe::is_valid_utf8(text));
    text.replace(at, 1, "\xEF\xBF\xBD");
    CHECK(troupe::is_valid_utf8(text));
  }
}

TEST_CASE("utf8: a cut never splits a character") {
  const std::string text = "\xC3\xA9\xE4\xB8\xAD";
  CHECK(troupe::cut_utf8(text, 0).empty());
  CHECK(troupe::cut_utf8(text, 1).empty());
  CHECK(troupe::cut_utf8(text, 2) == "\xC3\xA9");
  CHECK(troupe::cut_utf8(text, 4) == "\xC3\xA9");
  CHECK(troupe::cut_utf8(text, 5) == text);
  CHECK(troupe::cut_utf8(text, 99) == text);
}

TEST_CASE("utf8: the size in JSON counts escapes") {
  CHECK(troupe::json_string_size("plain \xC3\xA9") == 8);
  CHECK(troupe::json_string_size("\"\\\n\t") == 8);
  CHECK(troupe::json_string_size("\x1b[0m") == 9);
}
