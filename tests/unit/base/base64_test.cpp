// SPDX-License-Identifier: MIT
#include "base/base64.hpp"

#include <doctest/doctest.h>

#include <string>

using troupe::base64_decode;
using troupe::base64_encode;

TEST_CASE("base64: the RFC 4648 examples round trip") {
  struct Row {
    const char* plain;
    const char* coded;
  };
  static constexpr Row rows[] = {{"", ""},
                                 {"f", "Zg=="},
                                 {"fo", "Zm8="},
                                 {"foo", "Zm9v"},
                                 {"foob", "Zm9vYg=="},
                                 {"fooba", "Zm9vYmE="},
                                 {"foobar", "Zm9vYmFy"}};
  for (const Row& row : rows) {
    CHECK(base64_encode(row.plain) == row.coded);
    CHECK(*base64_decode(row.coded) == row.plain);
  }
}

TEST_CASE("base64: every byte value round trips at every length up to nine") {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t length = 1; length < 10; ++length) {
      const std::string bytes(length, static_cast<char>(byte));
      CHECK(*base64_decode(base64_encode(bytes)) == bytes);
    }
  }
}

TEST_CASE("base64: what is not standard padded canonical base64 is refused") {
  for (const char* text :
       {"Zg", "Zg=", "Zh==", "Zm9=", "Zm 9v", "Zm9-", "====", "Z===", "Zg==Zg==", "Zm9v\n"}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decode(text).ok());
  }
}

TEST_CASE("base64: an invalid symbol is refused in every place of a long text") {
  const std::string text = base64_encode(std::string(30, 'x'));
  for (std::size_t place = 0; place < text.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      const auto symbol = static_cast<char>(byte);
      const bool valid = (symbol >= 'A' && symbol <= 'Z') || (symbol >= 'a' && symbol <= 'z') ||
                         (symbol >= '0' && symbol <= '9') || symbol == '+' || symbol == '/';
      std::string changed = text;
      changed[place] = symbol;
      const bool pads_the_end = symbol == '=' && place + 1 == text.size();
      if (!pads_the_end) {
        CHECK(base64_decode(changed).ok() == valid);
      }
    }
  }
}
