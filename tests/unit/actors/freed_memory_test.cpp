// SPDX-License-Identifier: MIT
#include "actors/decisions/freed_memory.hpp"

#include <doctest/doctest.h>

using troupe::actors::FreedMemory;

//
TEST_CASE("freed memory: it goes back once a moment after the last of much") {
  FreedMemory memory;
  memory.freed(FreedMemory::worth_bytes - 1, 0);
  CHECK_FALSE(memory.deadline_ms());
  CHECK_FALSE(memory.take_due(1'000'000));
  memory.freed(1, 2'000'000);
  CHECK(memory.deadline_ms() == 2'001'000);
  memory.freed(1, 2'000'500);
  CHECK_FALSE(memory.take_due(2'001'000));
  CHECK(memory.take_due(2'001'500));
  CHECK_FALSE(memory.deadline_ms());
  CHECK_FALSE(memory.take_due(3'000'000));
  memory.freed(FreedMemory::worth_bytes - 1, 3'000'000);  // counted anew
  CHECK_FALSE(memory.deadline_ms());
}

TEST_CASE("freed memory: terminals that come and go without a pause do not keep it") {
  FreedMemory memory;
  std::int64_t now = 0;
  memory.freed(FreedMemory::worth_bytes, now);
  while (!memory.take_due(now)) {
    now += 100;
    memory.freed(1, now);
    REQUIRE(now <= FreedMemory::patience_ms);
  }
  CHECK(now == FreedMemory::patience_ms);
}
