// SPDX-License-Identifier: MIT
#include "actors/light_turns.hpp"

#include <doctest/doctest.h>

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "actors/messages.hpp"
#include "tests/unit/actors/quick_system.hpp"

using namespace troupe::actors;

namespace {

std::int64_t clock_us = 0;  // moved by hand
std::int64_t test_clock() {
  return clock_us;
}

/// What an actor handled, and where.
struct Handled {
  std::vector<std::string> payloads;
  std::vector<std::thread::id> threads;
  std::promise<void> last;
  caf::actor next;  // is told of everything, lightly
};

/// Real workers; this thread is the one that takes turns.
struct Stage {
  troupe::testing::QuickConfig config;
  caf::actor_system system{config};
  LightTurns turns{test_clock};

  Stage() { turns.adopt(system); }

  /// Idle until the first message. "slow" takes longer than the budget allows, "last" is the end.
  caf::actor spawn(Handled& handled) {
    return system.spawn<caf::lazy_init>(
        [](caf::event_based_actor* self, Handled* log) -> caf::behavior {
          return {[=](const FrameArrived& frame) {
            log->payloads.push_back(frame.payload);
            log->threads.push_back(std::this_thread::get_id());
            if (log->next) {
              tell(log->next, Weight::light, FrameArrived{frame.payload});
            }
            if (frame.payload == "slow") {
              clock_us += 2 * LightBudget::share_us;
            }
            if (frame.payload == "last") {
              self->quit();
              log->last.set_value();
            }
          }};
        },
        &handled);
  }
};

/// After it what the actor handled may be read.
void finish(const caf::actor& actor, Handled& handled) {
  caf::anon_send(actor, FrameArrived{"last"});
  REQUIRE(handled.last.get_future().wait_for(std::chrono::seconds{20}) ==
          std::future_status::ready);
}

const std::thread::id here = std::this_thread::get_id();
using Payloads = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "light turns: an idle actor handles a light message on the thread of its sender") {
  Handled handled;
  Stage stage;
  const caf::actor actor = stage.spawn(handled);
  for (const char* const payload : {"a", "b"}) {
    stage.turns.tell(actor, FrameArrived{payload});
    stage.turns.run();
    REQUIRE(handled.payloads.back() == payload);
    CHECK(handled.threads.back() == here);
  }
  finish(actor, handled);
  CHECK(handled.threads.back() != here);
}

TEST_CASE("light turns: an actor that is told something light in a turn has its own there") {
  Handled first;
  Handled second;
  Stage stage;
  const caf::actor b = stage.spawn(second);
  first.next = b;
  const caf::actor a = stage.spawn(first);
  stage.turns.tell(a, FrameArrived{"key"});
  stage.turns.run();
  REQUIRE(second.payloads == Payloads{"key"});
  CHECK(second.threads.back() == here);
  finish(a, first);  // on a worker: the other one hears of it there
  REQUIRE(second.last.get_future().wait_for(std::chrono::seconds{20}) == std::future_status::ready);
  CHECK(second.payloads == Payloads{"key", "last"});
  first.next = {};
}

TEST_CASE("light turns: messages keep their order whoever handles them") {
  Handled handled;
  Stage stage;
  const caf::actor actor = stage.spawn(handled);
  Payloads sent;
  for (int i = 0; i < 2000; ++i) {
    sent.push_back(std::to_string(i));
    if (i % 3 == 0) {
      caf::anon_send(actor, FrameArrived{sent.back()});
    } else {
      stage.turns.tell(actor, FrameArrived{sent.back()});
    }
    if (i % 2 == 0) {
      stage.turns.run();
    }
  }
  stage.turns.run();
  sent.emplace_back("last");
  finish(actor, handled);
  CHECK(handled.payloads == sent);
}

TEST_CASE("light turns: beyond the budget the workers go on") {
  Handled handled;
  Stage stage;
  const caf::actor actor = stage.spawn(handled);
  clock_us += LightBudget::window_us;
  for (const char* const payload : {"slow", "after"}) {
    stage.turns.tell(actor, FrameArrived{payload});
    stage.turns.run();
  }
  finish(actor, handled);
  REQUIRE(handled.payloads == Payloads{"slow", "after", "last"});
  CHECK(handled.threads[0] == here);
  CHECK(handled.threads[1] != here);
}

TEST_CASE("light turns: what waits when the thread resigns goes to the workers") {
  Handled handled;
  Stage stage;
  const caf::actor actor = stage.spawn(handled);
  stage.turns.tell(actor, FrameArrived{"a"});
  stage.turns.resign();
  stage.turns.run();
  finish(actor, handled);
  REQUIRE(handled.payloads == Payloads{"a", "last"});
  CHECK(handled.threads[0] != here);
}
