// SPDX-License-Identifier: MIT
#include "base/duration.hpp"

#include <doctest/doctest.h>

using std::chrono::milliseconds;
using troupe::duration_from_text;

TEST_CASE("duration: a number of seconds or one with its unit") {
  CHECK(duration_from_text("1") == milliseconds{1000});
  CHECK(duration_from_text("0.5") == milliseconds{500});
  CHECK(duration_from_text("0.0001") == milliseconds{1});
  CHECK(duration_from_text("90s") == milliseconds{90'000});
  CHECK(duration_from_text("500ms") == milliseconds{500});
  CHECK(duration_from_text("2m") == milliseconds{120'000});
  CHECK(duration_from_text("24h") == milliseconds{86'400'000});
  CHECK(duration_from_text("0") == milliseconds{0});
}

TEST_CASE("duration: everything else is none") {
  for (const char* wrong : {"", "s", "-1", "-0.1s", "1d", "1 s", "24.001h", "1e3", "nan", "inf",
                            "infs", "0x10", "1,5", "99999999999999999999999h"}) {
    CAPTURE(wrong);
    CHECK_FALSE(duration_from_text(wrong));
  }
}
