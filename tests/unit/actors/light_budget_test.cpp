// SPDX-License-Identifier: MIT
#include "actors/decisions/light_budget.hpp"

#include <doctest/doctest.h>

using troupe::actors::LightBudget;

TEST_CASE("light budget: what turns take in a window is the share and one turn more") {
  LightBudget budget;
  constexpr std::int64_t turn_us = 300;
  std::int64_t now = 1'000'000;
  std::int64_t const end = now + LightBudget::window_us;
  std::int64_t spent = 0;
  for (; now < end; now += turn_us) {
    if (budget.allows(now)) {
      budget.spent(turn_us);
      spent += turn_us;
    }
  }
  CHECK(spent >= LightBudget::share_us);
  CHECK(spent < LightBudget::share_us + turn_us);
}

TEST_CASE("light budget: a turn that took too long is paid for until its window ends") {
  LightBudget budget;
  CHECK(budget.allows(0));
  budget.spent(50'000);
  CHECK_FALSE(budget.allows(LightBudget::window_us - 1));
  CHECK(budget.allows(LightBudget::window_us));
}
