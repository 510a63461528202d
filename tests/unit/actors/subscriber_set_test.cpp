// SPDX-License-Identifier: MIT
#include "actors/decisions/subscriber_set.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace troupe;
using namespace troupe::actors;

namespace {

SubscriberSpec spec(std::string attachment, Role role = Role::observer,
                    Takeover takeover = Takeover::no) {
  SubscriberSpec result;
  result.attachment_id = std::move(attachment);
  result.role = role;
  result.takeover = takeover;
  return result;
}

}  // namespace

TEST_CASE("control: a second controller is refused without takeover") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("a", Role::controller), 0));
  const Result<ControlChange> second = set.attach(2, spec("b", Role::controller), 0);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Code::busy);
  CHECK(set.all().size() == 1);
  CHECK(set.generation() == 1);
}

TEST_CASE("control: a takeover demotes and keeps the old stream") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("a", Role::controller), 0));
  REQUIRE(set.attach(2, spec("b", Role::controller, Takeover::yes), 0));
  CHECK(set.controller() == "b");
  CHECK(set.generation() == 2);
  CHECK(set.all().size() == 2);
  CHECK(set.authorize("b"));
  CHECK_FALSE(set.authorize("a"));
}

TEST_CASE("control: only the controller writes and without one only the unnamed") {
  SubscriberSet set;
  CHECK(set.authorize(std::nullopt));
  CHECK(set.authorize("a").error().message == "attachment a is not the terminal controller");
  REQUIRE(set.attach(1, spec("a"), 0));
  CHECK_FALSE(set.authorize("a"));
  CHECK(set.authorize(std::nullopt));
  REQUIRE(set.promote("a"));
  CHECK(set.authorize("a"));
  CHECK(set.authorize(std::nullopt).error().message ==
        "terminal input requires the active controller attachment");
}

TEST_CASE("control: the one that controlled last inherits and an observer where nobody did") {
  SubscriberSet set;
  REQUIRE(set.attach(9, spec("watcher"), 0));
  REQUIRE(set.attach(1, spec("a", Role::controller), 0));
  REQUIRE(set.attach(2, spec("b", Role::controller, Takeover::yes), 0));
  REQUIRE(set.attach(3, spec("c", Role::controller, Takeover::yes), 0));
  CHECK(set.detach(3).controller_changed);
  CHECK(set.controller() == "b");
  CHECK(set.generation() == 4);
  CHECK(set.detach(2).controller_changed);
  CHECK(set.controller() == "a");
  CHECK(set.detach(1).controller_changed);
  CHECK(set.controller() == "watcher");
  CHECK(set.detach(9).controller_changed);
  CHECK_FALSE(set.controller());
  CHECK(set.generation() == 7);
}

TEST_CASE("control: a controller that comes back under its id keeps control silently") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("same", Role::controller), 0));
  const Result<ControlChange> again = set.attach(2, spec("same", Role::controller), 0);
  REQUIRE(again);
  CHECK(again->replaced == SubscriberId{1});
  CHECK_FALSE(again->controller_changed);
  CHECK(set.is_controller(2));
  CHECK(set.generation() == 1);
  CHECK_FALSE(set.detach(1).controller_changed);  // closing the replaced stream changes nothing
  CHECK(set.is_controller(2));
}

TEST_CASE("control: promoting the controller again changes nothing") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("a", Role::controller), 0));
  const Result<ControlChange> change = set.promote("a");
  REQUIRE(change);
  CHECK_FALSE(change->controller_changed);
  CHECK(set.promote("ghost").error().code == Code::not_controller);
}

TEST_CASE("windows: a controller that does not read holds the terminal until it does") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("c", Role::controller), 0));
  std::size_t sent = 0;
  while (!set.held()) {
    REQUIRE(set.offer(*set.find(1), 8192) == Offer::send);
    sent += 8192;
  }
  CHECK(sent >= SubscriberSet::controller_window);
  set.acknowledge(1, sent);
  CHECK_FALSE(set.held());
}

TEST_CASE("windows: an observer never holds and lags at its limit") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("o"), 0));
  std::size_t sent = 0;
  while (set.offer(*set.find(1), 65536) == Offer::send) {
    sent += 65536;
    CHECK_FALSE(set.held());
  }
  CHECK(sent == SubscriberSet::observer_limit);
  CHECK(sent >= 1024U * 1024);
}

TEST_CASE("windows: a resyncing observer is lost instead and caught up when it reads") {
  SubscriberSet set;
  SubscriberSpec asked = spec("o");
  asked.resync = true;
  REQUIRE(set.attach(1, std::move(asked), 100));
  std::size_t sent = 0;
  while (set.offer(*set.find(1), 65536) == Offer::send) {
    sent += 65536;
    set.find(1)->next_offset += 65536;
  }
  CHECK(set.find(1)->lost_from == 100 + sent);
  CHECK(set.offer(*set.find(1), 1) == Offer::skip);
  CHECK_FALSE(set.acknowledge(1, sent / 2));
  CHECK(set.acknowledge(1, sent / 2));
}

TEST_CASE("windows: a stalled controller that lost control is an observer with a bound") {
  SubscriberSet set;
  REQUIRE(set.attach(1, spec("old", Role::controller), 0));
  while (!set.held()) {
    REQUIRE(set.offer(*set.find(1), 65536) == Offer::send);
  }
  REQUIRE(set.attach(2, spec("new", Role::controller, Takeover::yes), 0));
  CHECK_FALSE(set.held());
}
