// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/io_hub.hpp"
#include "actors/registry_actor.hpp"
#include "actors/service_context.hpp"

using namespace troupe;
using namespace troupe::actors;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

struct TestConfig : caf::actor_system_config {
  TestConfig() { set("scheduler.policy", caf::atom("testing")); }
};

/// The actors under CAF's test coordinator: runs and timeouts happen when the test says so. The
/// children are real.
struct Stage {
  TestConfig config;
  boost::asio::io_context io{1};
  ServiceContext context;
  bool stopping = false;
  bool stopped = false;
  IoHub hub{io,
            {},
            {{},
             [](ConnectionId) { return caf::actor{}; },
             [this] { stopping = true; },
             [this] { stopped = true; },
             [](const std::string&) {}}};
  caf::actor_system system{config};
  std::vector<Answer> answers;
  std::vector<std::uint64_t> lost;
  std::string output;
  caf::actor client;

  explicit Stage(Ownership::Mode mode = Ownership::Mode::standalone) {
    context.identity.instance_id = "me";
    context.hub = &hub;
    context.registry = spawn_registry(system, context, mode);
    // With an argument: CAF dereferences a null pointer for an actor that has none.
    client = system.spawn(
        [](caf::event_based_actor*, Stage* stage) -> caf::behavior {
          return {[stage](Answer& answer) { stage->answers.push_back(std::move(answer)); },
                  [stage](const SubscriptionOutput& o) { stage->output += o.bytes.view(); },
                  [](const SubscriptionEvent&) {}, [](const SubscriptionEnded&) {},
                  [](Superseded) {}};
        },
        this);
    coordinator().run();
  }
  ~Stage() {
    anon_send(context.registry, StopService{});
    run_until([&] { return stopped; });
    anon_send_exit(client, caf::exit_reason::user_shutdown);
    client = context.registry = {};
    coordinator().run();
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }
  template <class Actor, class Message>
  static void anon_send(const Actor& actor, Message message) {
    caf::anon_send(actor, std::move(message));
  }
  static void anon_send_exit(const caf::actor& actor, caf::exit_reason reason) {
    caf::anon_send_exit(actor, reason);
  }
  void run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!done() && std::chrono::steady_clock::now() < deadline) {
      while (coordinator().try_run_once()) {
      }
      io.restart();
      io.run_one_for(std::chrono::milliseconds{5});
    }
    REQUIRE(done());
  }
  void ask(RequestKey key, protocol::Request r, ConnectionId connection = 1) {
    anon_send(context.registry,
              RegistryRequest{client, connection, AsOwner::no, key, std::move(r)});
  }
  const protocol::Response* answer(RequestKey key) {
    for (const Answer& a : answers) {
      if (a.key == key) {
        return &a.response;
      }
    }
    return nullptr;
  }
  TerminalId create(RequestKey key) {
    request::Create create;
    create.program = "/bin/sh";
    create.args = {"-c", "stty raw -echo; printf READY; exec cat"};
    create.cwd = "/";
    ask(key, create);
    run_until([&] { return answer(key) != nullptr; });
    const auto* const created = std::get_if<reply::Created>(answer(key));
    REQUIRE(created != nullptr);
    return created->terminal.id;
  }
  void tell(TerminalId id, RequestKey key, protocol::Request r) {
    const auto entry = context.directory.view()->find(id);
    REQUIRE(entry);
    anon_send(entry->terminal, TerminalRequest{client, key, key, 0, std::move(r)});
  }
};

}  // namespace

TEST_CASE("actors: an unclaimed daemon stops after five seconds of virtual time") {
  Stage stage{Ownership::Mode::owned};
  stage.coordinator().advance_time(std::chrono::milliseconds{4'990});
  stage.coordinator().run();
  stage.io.poll();
  CHECK_FALSE(stage.stopping);
  stage.coordinator().advance_time(std::chrono::milliseconds{20});
  stage.run_until([&] { return stage.stopped; });
  CHECK(stage.stopping);
}

TEST_CASE("actors: a claimed daemon outlives the deadline and stops with its owner") {
  Stage stage{Ownership::Mode::owned};
  stage.ask(1, request::Own{"me", {}}, 7);
  stage.coordinator().run();
  REQUIRE(std::holds_alternative<reply::Owned>(*stage.answer(1)));
  stage.coordinator().advance_time(std::chrono::seconds{60});
  stage.coordinator().run();
  CHECK_FALSE(stage.stopping);
  Stage::anon_send(stage.context.registry, OwnerLost{7});
  stage.run_until([&] { return stage.stopped; });
}

TEST_CASE("actors: a terminal is listed read written and ended") {
  Stage stage;
  const TerminalId id = stage.create(1);
  REQUIRE(stage.context.directory.view()->by_id.size() == 1);
  const auto card = stage.context.directory.view()->find(id)->card;
  stage.run_until([&] { return card->read().output_tail == 5; });  // READY
  request::Subscribe subscribe;
  subscribe.attachment_id = "a";
  stage.tell(id, 2, subscribe);
  stage.run_until([&] { return stage.answer(2) != nullptr; });
  request::Write write;
  write.data = "hello";
  stage.tell(id, 3, write);
  stage.run_until([&] {
    stage.coordinator().trigger_timeouts();
    return stage.output.find("hello") != std::string::npos;
  });
  CHECK(card->read().output_tail == 10);
  const auto entry = stage.context.directory.view()->find(id);
  stage.ask(4, request::Terminate{id, false});
  stage.run_until([&] { return stage.answer(4) != nullptr; });
  CHECK(std::holds_alternative<reply::Ok>(*stage.answer(4)));
  CHECK(stage.context.directory.view()->by_id.empty());
  REQUIRE(stage.context.directory.view()->ledger.size() == 1);
  // Who still had the address is answered for a while.
  Stage::anon_send(entry->terminal,
                   TerminalRequest{stage.client, 5, 5, 0, request::Snapshot{id, {}}});
  stage.coordinator().run();
  REQUIRE(stage.answer(5) != nullptr);
  CHECK(std::get<reply::Error>(*stage.answer(5)).code == Code::not_found);
}

TEST_CASE("actors: a terminal actor that dies is unlisted and remembered and no other notices") {
  Stage stage;
  const TerminalId victim = stage.create(1);
  const TerminalId other = stage.create(2);
  Stage::anon_send_exit(stage.context.directory.view()->find(victim)->terminal,
                        caf::exit_reason::unhandled_exception);
  stage.run_until([&] { return stage.context.directory.view()->by_id.size() == 1; });
  const auto view = stage.context.directory.view();
  CHECK(view->find(other));
  REQUIRE(view->ledger.size() == 1);
  CHECK(view->ledger.front().reason == "the terminal failed");
  stage.tell(other, 3, request::Replay{other, 0});
  stage.run_until([&] { return stage.answer(3) != nullptr; });
}

TEST_CASE("actors: creation order is kept when a terminal in between goes") {
  Stage stage;
  std::vector<TerminalId> ids;
  for (RequestKey key = 1; key <= 4; ++key) {
    ids.push_back(stage.create(key));
  }
  stage.ask(9, request::Terminate{ids[1], false});
  stage.run_until([&] { return stage.answer(9) != nullptr; });
  ids.erase(ids.begin() + 1);
  std::vector<TerminalId> listed;
  for (const EntryPointer& entry : stage.context.directory.view()->in_creation_order()) {
    listed.push_back(entry->id);
  }
  CHECK(listed == ids);
}
