// SPDX-License-Identifier: MIT
#include "actors/decisions/ownership.hpp"

#include <doctest/doctest.h>

using namespace troupe;
using namespace troupe::actors;

namespace {
constexpr std::int64_t wall = 1'700'000'000'000;
Ownership fresh() {
  return Ownership{Ownership::Mode::owned, "me", 0};
}
}  // namespace

TEST_CASE("ownership: without a claim the daemon stops after five seconds") {
  Ownership ownership = fresh();
  CHECK(ownership.deadline_ms() == 5000);
  CHECK(ownership.expire(4999) == Verdict::go_on);
  CHECK_FALSE(ownership.claim(1, "wrong", {}, 4000));
  CHECK(ownership.deadline_ms() == 5000);  // a failed claim extends nothing
  CHECK(ownership.expire(5000) == Verdict::stop);
  CHECK(ownership.claim(1, "me", {}, 5001).error().code == Code::cancelled);
}

TEST_CASE("ownership: losing the owner stops and losing anybody else does not") {
  Ownership ownership = fresh();
  REQUIRE(ownership.claim(1, "me", {}, 10));
  CHECK_FALSE(ownership.deadline_ms());
  CHECK(ownership.lost(2, 20) == Verdict::go_on);
  CHECK(ownership.lost(1, 30) == Verdict::stop);
}

TEST_CASE("ownership: a first claim has no ticket") {
  Ownership ownership = fresh();
  CHECK(ownership.claim(1, "me", "0", 10).error().message == "invalid handoff ticket");
  CHECK(ownership.claim(1, "me", {}, 10));
  CHECK(ownership.claim(2, "me", {}, 10).error().message == "daemon already has a live owner");
}

TEST_CASE("ownership: repeated preparation returns the same ticket until it expires") {
  Ownership ownership = fresh();
  REQUIRE(ownership.claim(1, "me", {}, 0));
  const Result<HandoffTicket> first = ownership.prepare(1, 1000, wall, "t1");
  REQUIRE(first);
  CHECK(first->expires_at_ms == wall + 120'000);
  CHECK(ownership.prepare(1, 2000, wall + 1000, "t2")->ticket == "t1");
  CHECK(ownership.prepare(1, 2000, wall + 1000, "t2")->expires_at_ms == wall + 120'000);
  CHECK(ownership.expire(121'000) == Verdict::go_on);  // an owner is connected
  CHECK(ownership.claim(2, "me", "t1", 121'000).error().code == Code::busy);
  CHECK(ownership.prepare(1, 121'001, wall + 120'001, "t3")->ticket == "t3");
}

TEST_CASE("ownership: a prepared daemon waits 120 seconds for its successor") {
  Ownership ownership = fresh();
  REQUIRE(ownership.claim(1, "me", {}, 0));
  REQUIRE(ownership.prepare(1, 0, wall, "t"));
  CHECK(ownership.lost(1, 10) == Verdict::go_on);
  CHECK(ownership.expire(119'999) == Verdict::go_on);
  CHECK_FALSE(ownership.claim(2, "me", {}, 20));
  CHECK_FALSE(ownership.claim(2, "me", "", 20));
  SUBCASE("in time") {
    CHECK(ownership.claim(2, "me", "t", 119'999));
    CHECK_FALSE(ownership.claim(3, "me", "t", 119'999));  // consumed
    CHECK(ownership.lost(2, 119'999) == Verdict::stop);
  }
  SUBCASE("too late") {
    CHECK(ownership.expire(120'000) == Verdict::stop);
    CHECK_FALSE(ownership.claim(2, "me", "t", 120'000));
  }
}

TEST_CASE("ownership: a valid ticket replaces a connected owner") {
  Ownership ownership = fresh();
  REQUIRE(ownership.claim(1, "me", {}, 0));
  REQUIRE(ownership.prepare(1, 0, wall, "t"));
  const Result<Claim> claim = ownership.claim(2, "me", "t", 10);
  REQUIRE(claim);
  CHECK(claim->superseded == ConnectionId{1});
  CHECK(ownership.is_owner(2));
  CHECK(ownership.lost(1, 20) == Verdict::go_on);
  CHECK_FALSE(ownership.prepare(1, 20, wall, "u"));
}

TEST_CASE("ownership: a standalone daemon has none") {
  Ownership ownership{Ownership::Mode::standalone, "me", 0};
  CHECK_FALSE(ownership.deadline_ms());
  CHECK(ownership.claim(1, "me", {}, 0).error().code == Code::unsupported);
  CHECK(ownership.expire(1'000'000) == Verdict::go_on);
}
