// SPDX-License-Identifier: MIT
#include "scenario/stage.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

#include "tests/unit/scenario/scenario_files.hpp"

using namespace troupe;
using namespace troupe::scenario;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

Stage stage_of(const Plan& plan, const std::vector<SecretValue>& secrets = {}) {
  std::vector<Performance> performances;
  for (const Launch& launch : plan.launches) {
    performances.emplace_back(launch, launch.create, secrets);
  }
  return Stage(std::move(performances), plan);
}

Performance performance_of(const Plan& plan, const std::vector<SecretValue>& secrets = {}) {
  return Performance(plan.launches.at(0), plan.launches.at(0).create, secrets);
}

protocol::Response created(std::uint64_t id) {
  reply::Created created;
  created.terminal.id = TerminalId{id};
  return created;
}

protocol::Response text_until(Sequence seq, bool matched, WaitReason reason) {
  reply::Text text;
  text.slice.next = Cursor{seq, 0, 0};
  text.matched = matched;
  text.reason = reason;
  return text;
}

protocol::Response command_ended(std::optional<std::int32_t> status) {
  reply::CommandOutput output;
  output.record = CommandRecord{};
  output.record->exit_code = status;
  return output;
}

/// What the daemon says when all goes well.
protocol::Response good_answer(const protocol::Request& request, std::uint64_t id) {
  if (std::holds_alternative<request::Create>(request)) {
    return created(id);
  }
  if (std::holds_alternative<request::Wait>(request) ||
      std::holds_alternative<request::Since>(request)) {
    return text_until(1, true, WaitReason::needle);
  }
  if (std::holds_alternative<request::Run>(request)) {
    return command_ended(0);
  }
  return std::holds_alternative<request::WaitExit>(request)
             ? protocol::Response{reply::Exit{0, {}, {}, false}}
             : protocol::Response{reply::Ok{}};
}

std::string words(const std::vector<Happening>& happenings) {
  constexpr const char* names[] = {"started", "ready", "step", "up", "failed"};
  std::string text;
  for (const Happening& it : happenings) {
    text += (text.empty() ? "" : " ") + std::string(names[static_cast<std::size_t>(it.what)]);
    text += it.text.empty() ? "" : "(" + it.text + ")";
  }
  return text;
}

}  // namespace

TEST_CASE("performance: create then ready then steps and each is asked once") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- role: a\n  ready: {needle: x, timeout: 7}\n  steps:\n"
      "  - {send: ls, enter: true}\n  - keys: up\n  - wait: y\n  - run: make\n");
  Performance play = performance_of(plan);
  CHECK(std::holds_alternative<request::Create>(*play.request()));
  CHECK_FALSE(play.request());
  CHECK(play.creating());
  CHECK(words(play.answer(created(5))) == "started");
  CHECK_FALSE(play.creating());

  const auto ready = std::get<request::Wait>(*play.request());
  CHECK(ready.id == TerminalId{5});
  CHECK(ready.cursor == CursorSpec{CursorOldest{}});
  CHECK(ready.needle == "x");
  CHECK(ready.timeout_ms == 7000);
  CHECK(play.allowed() == Milliseconds{7000});
  CHECK(words(play.answer(text_until(3, true, WaitReason::needle))) == "ready(ready)");

  CHECK(std::get<request::Since>(*play.request()).cursor == CursorSpec{CursorNow{}});
  CHECK(words(play.answer(text_until(9, false, WaitReason::timeout))).empty());
  CHECK(std::get<request::Write>(*play.request()).data == "ls\r");
  CHECK(words(play.answer(protocol::Response{reply::Ok{}})) == "step(send)");
  CHECK(std::get<request::Keys>(*play.request()).keys == std::vector<std::string>{"up"});
  CHECK(words(play.answer(protocol::Response{reply::Ok{}})) == "step(keys)");
  CHECK(std::get<request::Wait>(*play.request()).cursor == CursorSpec{CursorAt{9, 0, 0}});
  CHECK(words(play.answer(text_until(11, true, WaitReason::needle))) == "step(wait)");
  CHECK(std::get<request::Run>(*play.request()).text == "make");
  CHECK(words(play.answer(command_ended(0))) == "step(run) up");
  CHECK(play.state() == Performance::State::up);
  CHECK_FALSE(play.request());
}

TEST_CASE("performance: SC-4 a wait sees what came since the first input before it") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- role: a\n  steps: [{send: a}, {send: b}, {wait: x}, {wait: y}, "
      "{send: c}, {wait: z}]\n");
  Performance play = performance_of(plan);
  std::string order;
  Sequence seq = 0;
  std::vector<Sequence> waited_from;
  while (auto request = play.request()) {
    if (const auto* const wait = std::get_if<request::Wait>(&*request)) {
      waited_from.push_back(std::get<CursorAt>(wait->cursor).seq);
      order += "w";
    } else {
      order += std::holds_alternative<request::Since>(*request)   ? "m"
               : std::holds_alternative<request::Write>(*request) ? "i"
                                                                  : "c";
    }
    const bool text = order.back() == 'w' || order.back() == 'm';
    play.answer(text ? text_until(++seq, true, WaitReason::needle) : good_answer(*request, 1));
  }
  CHECK(order == "cmiiwwmiw");
  CHECK(waited_from == std::vector<Sequence>{1, 2, 4});
}

TEST_CASE("performance: every way to fail says what and where") {
  const auto fails = [](const std::string& participant, const protocol::Response& answer) {
    const Plan plan = test::plan_of("name: n\nparticipants:\n- role: a\n" + participant);
    Performance play = performance_of(plan);
    (void)play.request();
    (void)play.answer(created(1));
    REQUIRE(play.request());
    const auto happenings = play.answer(answer);
    CHECK(play.state() == Performance::State::failed);
    CHECK_FALSE(play.request());
    REQUIRE(happenings.size() == 1);
    return std::to_string(happenings[0].line) + " " + happenings[0].text;
  };
  CHECK(fails("  ready: x\n", text_until(1, false, WaitReason::timeout)) ==
        "4 ready: it did not happen in time");
  CHECK(fails("  ready: x\n", text_until(1, false, WaitReason::exit)) ==
        "4 ready: the program ended before it happened");
  CHECK(fails("  ready: {exit: 0}\n", reply::Exit{3, {}, {}, false}) ==
        "4 ready: the program ended with status 3 instead of status 0");
  CHECK(fails("  ready: {exit: 0}\n", reply::Exit{137, "SIGKILL", {}, false}) ==
        "4 ready: the program was ended by SIGKILL, with status 137 instead of status 0");
  CHECK(fails("  ready: {exit: true}\n", reply::Exit{{}, {}, {}, true}) ==
        "4 ready: the program did not end in time");
  CHECK(fails("  steps:\n  - run: x\n", command_ended(2)) ==
        "5 run: the command ended with status 2 instead of status 0");
  CHECK(fails("  steps:\n  - run: x\n", command_ended({})) ==
        "5 run: the command ended with no status instead of status 0");
  CHECK(fails("  ready: {command: x}\n", reply::CommandOutput{})
            .find("4 ready: no command was seen") == 0);
  CHECK(fails("  ready: x\n", reply::Ok{}) == "4 ready: the daemon gave another kind of answer");
}

TEST_CASE("performance: a command that ends its shell has the shell's status") {
  for (const char* participant : {"  ready: {command: exit 3}\n", "  steps: [{run: exit 3}]\n",
                                  "  steps: [{run: exit 3, expect: 3}]\n"}) {
    CAPTURE(participant);
    const Plan plan =
        test::plan_of(std::string("name: n\nparticipants:\n- role: a\n") + participant);
    Performance play = performance_of(plan);
    (void)play.request();
    (void)play.answer(created(1));
    REQUIRE(play.request());
    protocol::Response ended = command_ended({});
    std::get<reply::CommandOutput>(ended).record->pty_exited = true;
    CHECK(play.answer(ended).empty());
    const auto asked = play.request();
    REQUIRE(asked);
    CHECK(std::get<request::WaitExit>(*asked).id == TerminalId{1});
    const auto happenings = play.answer(protocol::Response{reply::Exit{3, {}, {}, false}});
    REQUIRE_FALSE(happenings.empty());
    if (std::string_view(participant).find("expect") == std::string_view::npos) {
      CHECK(happenings[0].text.find("the program ended with status 3 instead of status 0") !=
            std::string::npos);
    } else {
      CHECK(words(happenings) == "step(run) up");
    }
  }
}

TEST_CASE("performance: an exit of any status and a run of any status are enough where asked") {
  const auto goes = [](const std::string& participant, const protocol::Response& answer) {
    const Plan plan = test::plan_of("name: n\nparticipants:\n- role: a\n" + participant);
    Performance play = performance_of(plan);
    (void)play.request();
    (void)play.answer(created(1));
    REQUIRE(play.request());
    (void)play.answer(answer);
    return play.state() == Performance::State::up;
  };
  CHECK(goes("  ready: {exit: true}\n", reply::Exit{3, {}, {}, false}));
  CHECK(goes("  ready: {exit: 3}\n", reply::Exit{3, {}, {}, false}));
  CHECK(goes("  steps: [{run: x, expect: any}]\n", command_ended({})));
  CHECK(goes("  steps: [{run: x, expect: 4}]\n", command_ended(4)));
}

TEST_CASE("performance: SC-1 a secret is typed and told to nobody") {
  const Plan plan =
      test::plan_of("name: n\nparticipants:\n- role: a\n  steps: [{password_env: PW}]\n");
  Performance play = performance_of(plan, {{"OTHER", "x"}, {"PW", "hunter2"}});
  std::string told;
  std::string typed;
  while (auto request = play.request()) {
    if (const auto* const write = std::get_if<request::Write>(&*request)) {
      typed += write->data;
      told += words(play.answer(Error{Code::exited, "gone"}));
    } else {
      told += words(play.answer(good_answer(*request, 1)));
    }
  }
  CHECK(typed == "hunter2\r");
  CHECK(told == "startedfailed(password_env: gone)");
}

TEST_CASE("stage: SC-2 independent participants start at once and dependents when all is up") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- {role: a}\n- {role: b, ready: x}\n- {role: c, needs: [a, b]}\n");
  Stage stage = stage_of(plan);
  const auto first = stage.cues();
  REQUIRE(first.size() == 2);
  CHECK(stage.cues().empty());
  stage.answer(0, created(1));
  CHECK(stage.cues().empty());
  stage.answer(1, created(2));
  const auto second = stage.cues();
  REQUIRE(second.size() == 1);
  CHECK(second[0].who == 1);
  stage.answer(1, text_until(1, true, WaitReason::needle));
  const auto third = stage.cues();
  REQUIRE(third.size() == 1);
  CHECK(third[0].who == 2);
  CHECK_FALSE(stage.finished());
  stage.answer(2, created(3));
  CHECK(stage.up());
  CHECK(stage.finished());
  CHECK(stage.terminals() == std::vector<TerminalId>{{1}, {2}, {3}});
}

TEST_CASE("stage: SC-5 after a failure only terminals that are on their way are waited for") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- {role: a}\n- {role: b, ready: x}\n- {role: c}\n- {role: d, "
      "needs: [c]}\n");
  Stage stage = stage_of(plan);
  REQUIRE(stage.cues().size() == 3);
  stage.answer(1, created(2));
  REQUIRE(stage.cues().size() == 1);
  stage.answer(0, Error{Code::io, "no such program"});
  CHECK(stage.cues().empty());
  CHECK_FALSE(stage.finished());
  stage.answer(2, created(3));
  CHECK(stage.finished());
  CHECK_FALSE(stage.up());
  CHECK(stage.cues().empty());
  CHECK(stage.terminals() == std::vector<TerminalId>{{2}, {3}});
}

TEST_CASE("stage: SC-5 random orders of answers and failures always end") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- {role: a, ready: x, steps: [{send: y}, {wait: z}]}\n"
      "- {role: b, ready: {exit: true}, needs: [a]}\n- {role: c, steps: [{run: x}]}\n"
      "- {role: d, needs: [b, c]}\n- {role: e, ready: {idle: 1}}\n");
  std::mt19937 random(3);
  int came_up = 0;
  for (int round = 0; round < 500; ++round) {
    Stage stage = stage_of(plan);
    std::map<std::size_t, protocol::Request> out;
    int rounds = 0;
    while (!stage.finished()) {
      REQUIRE(++rounds < 100);
      for (auto& cue : stage.cues()) {
        CHECK(out.emplace(cue.who, cue.request).second);
      }
      REQUIRE_FALSE(out.empty());
      const auto next = std::next(out.begin(), static_cast<long>(random() % out.size()));
      const auto who = next->first;
      const protocol::Request request = next->second;
      out.erase(next);
      if (random() % 40 == 0) {
        stage.answer(who, Error{Code::io, "x"});
      } else {
        stage.answer(who, good_answer(request, who + 1));
      }
    }
    came_up += stage.up() ? 1 : 0;
    CHECK((!stage.up() || stage.terminals().size() == 5));
  }
  CHECK(came_up > 100);
  CHECK(came_up < 500);
}
