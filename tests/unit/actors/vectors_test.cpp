// SPDX-License-Identifier: MIT

/// @file
/// What octowright-terminal does when a terminal ends, step by step, against the registry and the
/// terminal of this service.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "recorders.hpp"
#include "registry_fixture.hpp"
#include "tests/support/octowright_vectors.hpp"

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::actors::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
using nlohmann::json;

namespace {

/// A registry with the daemon's own limits.
struct Daemon : RegistryFixture {
  Daemon() : RegistryFixture(Settings{}) {}

  std::size_t closed_as(telemetry::CloseCause cause) {
    const std::string suffix = " " + std::to_string(static_cast<int>(cause));
    return static_cast<std::size_t>(
        std::count_if(telemetry.log.begin(), telemetry.log.end(), [&](const std::string& entry) {
          return entry.starts_with("closed ") && entry.ends_with(suffix);
        }));
  }
  std::string error_of_terminate(TerminalId id) {
    core.request({session, ++last_key}, 1, FromOwner::no, request::Terminate{id, false}, now);
    const auto* const error = session->find<reply::Error>(last_key);
    return error != nullptr ? error->message : "";
  }
  RequestKey last_key = 100;
};

/// A terminal whose program ended makes room for others.
void end_and_evict(RegistryFixture& f, TerminalId id) {
  f.core.on_exited(id, 100, f.now);
  f.core.on_gone(id, {}, f.now);
}

void a_deliberate_close_is_no_eviction(const json& row) {
  Daemon f;
  const TerminalId id = f.run_one();
  CHECK(f.error_of_terminate(id).empty());
  f.core.on_gone(id, {}, f.now);
  CHECK((f.closed_as(telemetry::CloseCause::evicted) == 1) == row.at("evicted").get<bool>());
  CHECK(f.closed_as(telemetry::CloseCause::terminated) == 1);
  REQUIRE(f.ledger.size() == 1);
  CHECK(f.ledger.front().reason == "terminated");
}

/// Here an end is no reason to go: what ended stays readable until others need its room.
void an_end_is_evicted_for_room_only(const json& row) {
  Daemon roomy;
  roomy.core.on_exited(roomy.run_one(), 100, roomy.now);
  CHECK(roomy.ended.empty());

  RegistryFixture full;
  const TerminalId id = full.run_one();
  full.core.on_exited(id, 100, full.now);
  CHECK(std::count(full.ended.begin(), full.ended.end(), id) == row.at("teardown").get<int>());
  full.core.on_gone(id, {}, full.now);
  CHECK((full.ledger.size() == 1) == row.at("evicted").get<bool>());
}

void news_of_an_older_terminal_touch_no_other(const json& row) {
  RegistryFixture f;
  const TerminalId older = f.run_one();
  end_and_evict(f, older);
  const TerminalId newer = f.run_one();
  CHECK(newer != older);
  const std::size_t before = f.ended.size();
  end_and_evict(f, older);
  CHECK(f.ended.size() - before == row.at("teardown").get<std::size_t>());
  CHECK((f.ledger.size() > 1) == row.at("evicted").get<bool>());
}

void the_same_end_twice_is_one(const json& row) {
  RegistryFixture f;
  const TerminalId id = f.run_one();
  f.core.on_exited(id, 100, f.now);
  f.core.on_exited(id, 100, f.now);
  f.core.on_gone(id, {}, f.now);
  f.core.on_gone(id, {}, f.now);
  CHECK(f.ended.size() == row.at("teardown").get<std::size_t>());
  CHECK(f.ledger.size() == 1);
}

void an_unknown_id_is_nothing(const json& row) {
  RegistryFixture f;
  end_and_evict(f, {12'345});
  CHECK(f.ended.size() == row.at("teardown").get<std::size_t>());
  CHECK(f.ledger.empty());
}

void the_ledger_is_bounded(const json& row) {
  RegistryFixture f;
  const TerminalId first = f.run_one();
  end_and_evict(f, first);
  for (int i = 0; i < 64; ++i) {
    end_and_evict(f, f.run_one());
  }
  CHECK(f.ledger.size() == row.at("ledger_size").get<std::size_t>());
  CHECK(std::none_of(f.ledger.begin(), f.ledger.end(), [&](const protocol::LedgerEntry& entry) {
          return entry.id == first;
        }) == row.at("oldest_forgotten").get<bool>());
}

/// The words are other ones: the kind, the cause, and how the program ended.
void a_lookup_tells_kind_and_cause(const json& /*row*/) {
  Daemon f;
  f.create();
  f.core.on_opened(f.channels, std::optional<int>{7}, f.now);
  const TerminalId id = f.last;
  f.infos[id].lifecycle = protocol::Exited{3};
  CHECK(f.error_of_terminate(id).empty());
  f.core.on_gone(id, {}, f.now);
  const std::string text = f.error_of_terminate(id);
  CHECK(text.find("(pty, /bin/sh) is gone: terminated, its program exited with 3") !=
        std::string::npos);

  RegistryFixture full;
  const TerminalId failed = full.run_one();
  full.infos[failed].kind = protocol::TerminalKind::ssh;
  full.infos[failed].command = {"ssh", "me@far:22"};
  full.infos[failed].lifecycle = protocol::Failed{"connection reset"};
  end_and_evict(full, failed);
  const std::string why = not_found_text(failed, full.ledger);
  CHECK(why.find("(ssh, me@far:22) is gone: removed to make room") != std::string::npos);
  CHECK(why.find("it had failed: connection reset") != std::string::npos);
}

void a_lookup_of_nothing_tells_nothing(const json& row) {
  Daemon f;
  const std::string text = f.error_of_terminate({12'345});
  CHECK(text == "terminal 12345 not found");
  for (const auto& word : row.at("error_not_contains")) {
    CHECK(text.find(word.get<std::string>()) == std::string::npos);
  }
}

/// Nothing here can fail to be closed: a program that does not go is killed.
void closing_all_tries_every_one(const json& row) {
  Daemon f;
  const std::vector<TerminalId> all{f.run_one(), f.run_one(), f.run_one()};
  f.core.stop(f.now);
  CHECK((f.ended == all) == row.at("all_closed_called").get<bool>());
}

}  // namespace

TEST_CASE("vectors: each step of an eviction is the seed's or another one on purpose") {
  const std::map<std::string, std::function<void(const json&)>> steps{
      {"stop reason closed", a_deliberate_close_is_no_eviction},
      {"stop reason eof, same engine", an_end_is_evicted_for_room_only},
      {"stop reason error, same engine", an_end_is_evicted_for_room_only},
      {"eof from an older engine with the same id", news_of_an_older_terminal_touch_no_other},
      {"same eof twice", the_same_end_twice_is_one},
      {"unknown id", an_unknown_id_is_nothing},
      {"65th eviction", the_ledger_is_bounded},
      {"lookup of evicted id", a_lookup_tells_kind_and_cause},
      {"lookup of never-seen id", a_lookup_of_nothing_tells_nothing},
      {"close_all with sessions first(fails) second(ok) third(fails)", closing_all_tries_every_one},
  };
  const json& rows = troupe::testing::octowright_vectors("eviction");
  REQUIRE(rows.size() == steps.size());
  for (const json& row : rows) {
    const std::string step = row.at("step");
    CAPTURE(step);
    REQUIRE(steps.count(step) == 1);
    steps.at(step)(row);
  }
}

TEST_CASE("vectors: a stop row comes once and says error where the terminal failed") {
  const json& rows = troupe::testing::octowright_vectors("supervision");
  REQUIRE(rows.size() == 4);
  for (const json& row : rows) {
    const std::string end = row.at("poll_end");
    CAPTURE(end);
    CoreFixture f;
    request::Record record;
    record.recording.emplace().target.emplace();
    f.ask(record);
    f.core->on_recorder(recording::Opened{"x"}, f.now);
    if (end == "cancelled") {
      f.core->terminate(protocol::EndReason::terminated, f.now);
    } else if (!row.at("extra_stop").is_null()) {
      f.news(pty::Failed{Error{Code::io, end}});
    }
    f.news(pty::EndOfStream{});
    f.news(pty::ChildExit{{0, {}}});
    std::vector<std::string> stops;
    std::copy_if(f.rows.begin(), f.rows.end(), std::back_inserter(stops),
                 [](const std::string& text) { return text.starts_with("stop "); });
    REQUIRE(stops.size() == 1);
    const std::string usual = end == "cancelled" ? "closed" : "eof";
    const std::string wanted =
        row.at("extra_stop").is_null() ? usual : row.at("extra_stop").get<std::string>();
    CHECK(stops[0].starts_with("stop " + wanted));
  }
}
