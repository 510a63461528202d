// SPDX-License-Identifier: MIT
#include "actors/decisions/look_schedule.hpp"

#include <doctest/doctest.h>

using troupe::actors::LookSchedule;

TEST_CASE("looks: without an event there is no deadline") {
  LookSchedule looks;
  CHECK_FALSE(looks.deadline_us());
  looks.activity(1000);
  CHECK(looks.deadline_us() == 1000 + LookSchedule::quiet_us);
  CHECK_FALSE(looks.take_due(1000));
  CHECK(looks.take_due(1000 + LookSchedule::quiet_us));
  CHECK_FALSE(looks.deadline_us());
}

TEST_CASE("looks: what goes on is waited for but not for ever") {
  LookSchedule looks;
  std::int64_t now = 0;
  int seen = 0;
  for (; now < 2 * LookSchedule::longest_us; now += 100'000) {
    looks.activity(now);
    seen += looks.take_due(now) ? 1 : 0;
  }
  CHECK(seen == 1);
  CHECK(looks.deadline_us() <= now + LookSchedule::quiet_us);
}

TEST_CASE("looks: a mark is looked at soon whatever else goes on") {
  LookSchedule looks;
  looks.activity(0);
  looks.mark(10);
  looks.mark(20);
  CHECK(looks.deadline_us() == 10 + LookSchedule::after_mark_us);
  CHECK(looks.take_due(10 + LookSchedule::after_mark_us));
  CHECK(looks.deadline_us() == LookSchedule::quiet_us);
}
