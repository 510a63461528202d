// SPDX-License-Identifier: MIT
#include "actors/decisions/echo_watch.hpp"

#include <doctest/doctest.h>

using troupe::actors::EchoWatch;
using troupe::actors::LightBudget;

namespace {

constexpr std::uint64_t channel = 7;
constexpr std::int64_t seldom_us = 10 * LightBudget::window_us;

/// A key whose program prints after so long. Whether it was watched.
bool press(EchoWatch& watch, std::int64_t now_us, std::int64_t answers_after_us) {
  const bool begun = watch.typed(channel, 1, now_us);
  watch.printed(channel, now_us + answers_after_us);
  return begun;
}

/// A key whose program stays silent. Whether it was watched.
bool press_in_vain(EchoWatch& watch, std::int64_t now_us) {
  const bool begun = watch.typed(channel, 1, now_us);
  CHECK_FALSE(watch.watching(now_us + EchoWatch::longest_us));
  return begun;
}

}  // namespace

TEST_CASE("echo watch: it lasts until the program prints") {
  EchoWatch watch;
  CHECK_FALSE(watch.watching(0));
  REQUIRE(watch.typed(channel, 1, 0));
  CHECK(watch.watching(EchoWatch::longest_us - 1));
  watch.printed(channel + 1, 20);
  CHECK(watch.watching(21));
  watch.printed(channel, 22);
  CHECK_FALSE(watch.watching(23));
}

TEST_CASE("echo watch: a silent program is watched only so long") {
  EchoWatch watch;
  REQUIRE(watch.typed(channel, 1, 0));
  CHECK_FALSE(watch.watching(EchoWatch::longest_us));
  CHECK_FALSE(watch.watching(EchoWatch::longest_us + 1));
}

TEST_CASE("echo watch: a paste is no key, and one key is watched at a time") {
  EchoWatch watch;
  CHECK_FALSE(watch.typed(channel, EchoWatch::key_bytes + 1, 0));
  CHECK_FALSE(watch.watching(0));
  CHECK(watch.typed(channel, EchoWatch::key_bytes, 0));
  CHECK_FALSE(watch.typed(channel + 1, 1, 0));
}

TEST_CASE("echo watch: programs that do not answer keys are watched ever more rarely") {
  EchoWatch watch;
  std::int64_t now = 0;
  int watched = 0;
  constexpr int keys = 10'000;
  for (int key = 0; key < keys; ++key, now += seldom_us) {
    watched += press_in_vain(watch, now) ? 1 : 0;
  }
  CHECK(watched >= keys / static_cast<int>(EchoWatch::most_skipped + 1));
  CHECK(watched < 60);
  // One that answers again is watched at every key.
  while (!press(watch, now, 50)) {
    now += seldom_us;
  }
  now += seldom_us;
  CHECK(press(watch, now, 50));
}

TEST_CASE("echo watch: keys in a flood cost no more than the budget") {
  EchoWatch watch;
  constexpr std::int64_t answer_us = EchoWatch::longest_us - 1;
  std::int64_t spent = 0;
  for (std::int64_t now = 0; now + answer_us < LightBudget::window_us; now += answer_us) {
    spent += press(watch, now, answer_us) ? answer_us : 0;
  }
  CHECK(spent >= LightBudget::share_us);
  CHECK(spent < LightBudget::share_us + EchoWatch::longest_us);
}
