// SPDX-License-Identifier: MIT
#include "base/secret.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace troupe;

TEST_CASE("secret: copies share the bytes and hold them as long as one is there") {
  Secret copy;
  CHECK(copy.size() == 0);
  {
    const Secret first{"correct horse"};
    copy = first;
    CHECK(copy.view().data() == first.view().data());
  }
  CHECK(copy.view() == "correct horse");
}

TEST_CASE("secret: wiping overwrites the whole room of a string") {
  std::string text = "a password that is longer than the next one";
  const char* const bytes = text.data();
  const std::size_t room = text.capacity();
  text = "short";
  REQUIRE(text.data() == bytes);
  wipe(text);
  CHECK(text.empty());
  REQUIRE(text.data() == bytes);
  CHECK(std::all_of(bytes, bytes + room, [](char c) { return c == '\0'; }));
}
