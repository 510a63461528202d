// SPDX-License-Identifier: MIT
#include "terminal/wait_clock.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

using namespace troupe::terminal;

// T-34
TEST_CASE("wait clock: it tells what a look at all waits would tell") {
  std::mt19937 random(23);
  const auto below = [&](std::int64_t end) { return static_cast<std::int64_t>(random()) % end; };
  WaitClock clock;
  std::map<WaitId, WaitTiming> waits;
  std::int64_t now = 0;
  WaitId last = 0;
  for (int step = 0; step < 20'000; ++step) {
    now += below(4);
    switch (below(5)) {
      case 0:
        clock.output_seen(now);
        break;
      case 1:
        if (!waits.empty()) {
          const auto wait =
              std::next(waits.begin(), below(static_cast<std::int64_t>(waits.size())));
          clock.remove(wait->first, wait->second);
          waits.erase(wait);
        }
        break;
      default: {
        WaitTiming timing{now, now + below(60), std::nullopt};
        if (below(2) == 0) {
          timing.idle_ms = below(70);
        }
        waits.emplace(++last, timing);
        clock.add(last, timing);
      }
    }
    std::optional<std::int64_t> next;
    std::vector<WaitId> due;
    for (const auto& [id, timing] : waits) {
      const std::int64_t at = clock.due(timing);
      next = std::min(next.value_or(at), at);
      if (at <= now) {
        due.push_back(id);
      }
    }
    REQUIRE(clock.next() == next);
    REQUIRE(clock.due_by(now) == due);
    for (const WaitId id : due) {
      clock.remove(id, waits.at(id));
      waits.erase(id);
    }
  }
}

TEST_CASE("wait clock: idleness counts from the arming and from the last output") {
  WaitClock clock;
  const WaitTiming timing{1000, 5000, 500};
  clock.add(1, timing);
  CHECK(clock.next() == 1500);
  clock.output_seen(1400);
  CHECK(clock.next() == 1900);
  CHECK(clock.due(timing) == 1900);
  clock.output_seen(4800);
  CHECK(clock.next() == 5000);
  clock.remove(1, timing);
  CHECK_FALSE(clock.next());
}

TEST_CASE("wait clock: an idleness longer than the wait never counts") {
  WaitClock clock;
  clock.add(1, {10, 20, INT64_MAX});
  CHECK(clock.next() == 20);
  clock.output_seen(15);
  CHECK(clock.next() == 20);
}
