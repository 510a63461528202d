// SPDX-License-Identifier: MIT
#include "remote/charset.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/octowright_vectors.hpp"

using troupe::remote::Charset;
using troupe::remote::charset_from_name;
using troupe::remote::decode_output;
using troupe::remote::InputEncoder;

TEST_CASE("charset: the sample bytes of CP437 become their characters") {
  const auto& vectors = troupe::testing::octowright_vectors("cp437");
  REQUIRE(vectors.size() == 14);
  for (const auto& row : vectors) {
    const std::string byte(1, static_cast<char>(row["byte"].get<int>()));
    CAPTURE(row["byte"].get<int>());
    CHECK(decode_output(Charset::cp437, byte) == row["char"].get<std::string>());
  }
}

TEST_CASE("charset: every byte survives a round trip through each single byte set") {
  for (const Charset set : {Charset::latin1, Charset::cp437}) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string bytes(1, static_cast<char>(byte));
      CHECK(InputEncoder(set).encode(decode_output(set, bytes)) == bytes);
    }
  }
}

TEST_CASE("charset: a character typed in two writes is one character") {
  InputEncoder encoder(Charset::cp437);
  CHECK(encoder.encode("a\xC3") == "a");
  CHECK(encoder.encode("\xA9z") == "\x82z");
}

TEST_CASE("charset: what a set lacks and ill-formed text become question marks") {
  InputEncoder encoder(Charset::latin1);
  CHECK(encoder.encode("\xE2\x82\xAC") == "?");
  CHECK(encoder.encode("a\xFFz") == "a?z");
  CHECK(encoder.encode("\xC3(") == "?(");
}

TEST_CASE("charset: UTF-8 passes untouched in both directions") {
  CHECK(decode_output(Charset::utf8, "\xC3\xA9\xFF") == "\xC3\xA9\xFF");
  CHECK(InputEncoder(Charset::utf8).encode("\xC3") == "\xC3");
}

TEST_CASE("charset: names are known in any case and others are refused") {
  CHECK(charset_from_name("UTF-8") == Charset::utf8);
  CHECK(charset_from_name("cp437") == Charset::cp437);
  CHECK(charset_from_name("Latin1") == Charset::latin1);
  CHECK_FALSE(charset_from_name("koi8-r"));
}
