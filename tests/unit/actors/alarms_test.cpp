// SPDX-License-Identifier: MIT
#include "actors/decisions/alarms.hpp"

#include <doctest/doctest.h>

using troupe::actors::Alarms;

//
TEST_CASE("alarms: an earlier deadline is told of and a distant one is told of once") {
  Alarms alarms;
  CHECK(alarms.arm(1'000'000));
  CHECK_FALSE(alarms.arm(1'000'000));
  for (int near = 1; near < 100; ++near) {
    CHECK(alarms.arm(near));
    CHECK_FALSE(alarms.arm(near + 1));
    alarms.rang();
    CHECK_FALSE(alarms.arm(1'000'000));  // its tick is still to come
  }
  alarms.rang();
  CHECK(alarms.arm(1'000'000));
}

TEST_CASE("alarms: a tick that nobody sent changes nothing") {
  Alarms alarms;
  alarms.rang();
  CHECK(alarms.arm(5));
  CHECK(alarms.arm(4));
  alarms.rang();
  CHECK_FALSE(alarms.arm(5));
}
