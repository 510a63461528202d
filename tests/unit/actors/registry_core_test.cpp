// SPDX-License-Identifier: MIT
#include "actors/registry_core.hpp"

#include <doctest/doctest.h>

#include "registry_fixture.hpp"

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::actors::testing;
namespace reply = protocol::reply;

TEST_CASE("registry: a stop waits for launches on their way and ends what they start") {
  RegistryFixture f;
  f.create();
  f.create();
  f.core.stop(f.now);
  CHECK(f.stops == 0);
  f.core.on_opened(1, std::optional<int>{7}, f.now);
  const TerminalId started = f.last;
  CHECK(f.ended == std::vector<TerminalId>{started});
  CHECK(f.forgotten.empty());  // nobody would wait until it is dead
  REQUIRE(f.session->find<reply::Error>(1) != nullptr);
  CHECK(f.session->find<reply::Error>(1)->code == Code::cancelled);
  f.core.on_opened(2, Error{Code::io, "no such program"}, f.now);
  CHECK(f.stops == 0);
  f.core.on_gone(started, {}, f.now);
  CHECK(f.stops == 1);
  CHECK(f.infos.empty());
}

TEST_CASE("registry: a failed launch is the last thing that a stop waits for") {
  RegistryFixture f;
  f.create();
  f.core.stop(f.now);
  CHECK(f.stops == 0);
  f.core.on_opened(1, Error{Code::io, "no such program"}, f.now);
  CHECK(f.stops == 1);
}

TEST_CASE("registry: the memory of terminals that are destroyed is given back once") {
  RegistryFixture f;
  for (int i = 0; i < 60; ++i) {
    f.core.on_freed(5 * 1024 * 1024, f.now);
  }
  REQUIRE(f.core.deadline_ms());
  f.core.tick(f.now);
  CHECK(f.memory_given_back == 0);
  f.advance_ms(*f.core.deadline_ms() - f.now.steady_ms());
  f.core.tick(f.now);
  f.core.tick(f.now);
  CHECK(f.memory_given_back == 1);
  CHECK_FALSE(f.core.deadline_ms());
}

namespace {

/// Asks to wait for another list; the key of the answer.
RequestKey wait_for_list(RegistryFixture& f, std::optional<std::uint64_t> revision,
                         std::int64_t timeout_ms = 60'000) {
  static RequestKey key = 100;
  f.core.request({f.session, ++key}, 1, FromOwner::no,
                 protocol::request::TerminalsWait{revision, timeout_ms}, f.now);
  return key;
}

std::uint64_t revision_of(RegistryFixture& f) {
  const auto* const answer = f.session->find<reply::TerminalsChanged>(wait_for_list(f, {}));
  REQUIRE(answer != nullptr);
  CHECK_FALSE(answer->timed_out);
  return answer->revision;
}

}  // namespace

TEST_CASE("registry: who waits for another list hears of every kind of change") {
  RegistryFixture f{Settings{}};
  const TerminalId id = f.run_one();
  const auto change = [&](const char* what, const auto& act) {
    CAPTURE(what);
    const std::uint64_t known = revision_of(f);
    const RequestKey waiting = wait_for_list(f, known);
    CHECK(f.session->find<reply::TerminalsChanged>(waiting) == nullptr);
    act();
    const auto* const answer = f.session->find<reply::TerminalsChanged>(waiting);
    REQUIRE(answer != nullptr);
    CHECK(answer->revision == known + 1);
    CHECK_FALSE(answer->timed_out);
  };
  change("created", [&] { f.run_one(); });
  change("renamed, or its child ended", [&] { f.core.on_changed(id); });
  change("exited", [&] { f.core.on_exited(id, 1, f.now); });
  change("restarted", [&] { f.core.on_restarted(id); });
  change("failed", [&] { f.core.on_lost(f.last, f.now); });
  change("terminated", [&] {
    f.core.request({f.session, 1}, 1, FromOwner::no, protocol::request::Terminate{id, false},
                   f.now);
  });
  // It left the list when its end began.
  const RequestKey waiting = wait_for_list(f, revision_of(f));
  f.core.on_exited(id, 1, f.now);
  f.core.on_gone(id, {}, f.now);
  CHECK(f.session->find<reply::TerminalsChanged>(waiting) == nullptr);
}

TEST_CASE("registry: a revision that is not the present one is answered at once") {
  RegistryFixture f{Settings{}};
  const std::uint64_t old = revision_of(f);
  f.run_one();
  f.run_one();
  for (const std::uint64_t other : {old, old + 1, old + 100}) {
    const auto* const answer = f.session->find<reply::TerminalsChanged>(wait_for_list(f, other));
    REQUIRE(answer != nullptr);
    CHECK(answer->revision == old + 2);  // what a slow client missed is one number
  }
}

TEST_CASE("registry: a wait for another list ends at its time") {
  RegistryFixture f{Settings{}};
  const std::uint64_t known = revision_of(f);
  const RequestKey later = wait_for_list(f, known, 500);
  const RequestKey sooner = wait_for_list(f, known, 200);
  const RequestKey at_once = wait_for_list(f, known, 0);
  REQUIRE(f.session->find<reply::TerminalsChanged>(at_once) != nullptr);
  CHECK(f.session->find<reply::TerminalsChanged>(at_once)->timed_out);
  REQUIRE(f.core.deadline_ms());
  CHECK(*f.core.deadline_ms() == f.now.steady_ms() + 200);
  f.advance_ms(200);
  f.core.tick(f.now);
  const auto* const answer = f.session->find<reply::TerminalsChanged>(sooner);
  REQUIRE(answer != nullptr);
  CHECK(answer->timed_out);
  CHECK(answer->revision == known);
  CHECK(f.session->find<reply::TerminalsChanged>(later) == nullptr);
  CHECK(*f.core.deadline_ms() == f.now.steady_ms() + 300);
  f.run_one();
  CHECK_FALSE(f.core.deadline_ms());
}

TEST_CASE("registry: a cancelled wait for another list is forgotten and a stop ends the rest") {
  RegistryFixture f{Settings{}};
  const std::uint64_t known = revision_of(f);
  const RequestKey cancelled = wait_for_list(f, known);
  f.core.cancel(cancelled);
  CHECK_FALSE(f.core.deadline_ms());
  const RequestKey left = wait_for_list(f, known);
  f.core.stop(f.now);
  CHECK(f.session->find<reply::TerminalsChanged>(cancelled) == nullptr);
  REQUIRE(f.session->find<reply::Error>(left) != nullptr);
  CHECK(f.session->find<reply::Error>(left)->code == Code::cancelled);
  CHECK(f.session->find<reply::Error>(wait_for_list(f, known))->code == Code::cancelled);
}
