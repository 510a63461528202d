// SPDX-License-Identifier: MIT
#include "scenario/plan.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "protocol/features.hpp"
#include "scenario/launch.hpp"
#include "tests/unit/scenario/scenario_files.hpp"

using namespace troupe;
using namespace troupe::scenario;
using nlohmann::json;

namespace {

std::string problems_of(const std::string& text, const Personas* personas = nullptr) {
  return test::problems_of(make_plan(test::read(text), personas).problems);
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const Launch& launch : plan.launches) {
    names.push_back(launch.name);
  }
  return names;
}

}  // namespace

TEST_CASE("plan: SC-2 a participant stands after all that it needs and else in the file's order") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- {role: web, needs: [db, cache]}\n- {role: logs}\n"
      "- {role: db}\n- {role: cache, needs: [db, db]}\n");
  CHECK(names_of(plan) == std::vector<std::string>{"logs", "db", "cache", "web"});
  CHECK(plan.launches[3].needs == std::vector<std::size_t>{1, 2});
  CHECK(plan.launches[2].needs == std::vector<std::size_t>{1});
  CHECK(plan.launches[0].needs.empty());
}

TEST_CASE("plan: SC-2 holds for random needs without a cycle") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 20;
    std::vector<std::size_t> ranks(count);
    for (std::size_t at = 0; at < count; ++at) {
      ranks[at] = random() % 1000;
    }
    std::string text = "name: n\nparticipants:\n";
    for (std::size_t at = 0; at < count; ++at) {
      text += "- role: r" + std::to_string(at) + "\n  needs: [";
      for (std::size_t other = 0; other < count; ++other) {
        if (ranks[other] < ranks[at] && random() % 3 == 0) {
          text += "r" + std::to_string(other) + ",";
        }
      }
      text += "]\n";
    }
    const Plan plan = test::plan_of(text);
    REQUIRE(plan.launches.size() == count);
    for (std::size_t at = 0; at < count; ++at) {
      for (const std::size_t need : plan.launches[at].needs) {
        CHECK(need < at);
      }
    }
  }
}

TEST_CASE("plan: a cycle is shown as the way around it") {
  CHECK(problems_of("name: n\nparticipants:\n- {role: a, needs: [b]}\n- {role: b, needs: [c]}\n"
                    "- {role: c, needs: [b, d]}\n- {role: d}\n") ==
        "file.yaml:4: needs go in a circle: b needs c needs b\n");
  CHECK(problems_of("name: n\nparticipants:\n- {role: a, needs: [a]}\n") ==
        "file.yaml:3: needs go in a circle: a needs a\n");
}

TEST_CASE("plan: what a participant does not say is taken from the defaults") {
  const Plan plan = test::plan_of(
      "name: n\n"
      "defaults: {cwd: sub, cols: 100, rows: 30, env: {A: '1', B: '2'}, recording: true, "
      "redact: all}\n"
      "participants:\n"
      "- {role: a}\n"
      "- {role: b, options: {cwd: ~/x, cols: 90, env: {B: 3}, recording: false, redact: off}}\n"
      "- {role: c, options: {recording: {path: r.jsonl}, integrate: true, args: [-l], "
      "command: zsh}}\n");
  const auto& a = plan.launches[0].create;
  CHECK(a.cwd == "/work/here/sub");
  CHECK(a.cols == 100);
  CHECK(a.rows == 30);
  CHECK(a.env == std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}});
  CHECK(a.recording == protocol::RecordingTarget{});
  CHECK(a.redact == protocol::Redaction::all);
  const auto& b = plan.launches[1].create;
  CHECK(b.cwd == "/home/me/x");
  CHECK(b.cols == 90);
  CHECK(b.env == std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}});
  CHECK_FALSE(b.recording);
  CHECK(b.redact == protocol::Redaction::off);
  const auto& c = plan.launches[2].create;
  CHECK(c.recording->path == "/work/here/r.jsonl");
  CHECK(c.integrate);
  CHECK(c.program == "zsh");
  CHECK(c.args == std::vector<std::string>{"-l"});
}

TEST_CASE("plan: a text with blanks is a line for the shell and a list never is") {
  const auto create = [](const std::string& options) {
    return test::plan_of("name: n\nparticipants:\n- role: a\n  options: {" + options + "}\n")
        .launches[0]
        .create;
  };
  CHECK(create("command: make test").program == "/bin/sh");
  CHECK(create("command: make test").args == std::vector<std::string>{"-c", "make test"});
  CHECK(create("command: [make, a b]").program == "make");
  CHECK(create("command: [make, a b]").args == std::vector<std::string>{"a b"});
  CHECK(create("command: a b, args: [c]").program == "a b");
  CHECK(create("command: ''").program == "/bin/bash");
  CHECK(create("command: null").program == "/bin/bash");
  CHECK(create("").cwd == "/work/here");
}

TEST_CASE("plan: ssh options come from the participant and then from the persona") {
  const auto personas = read_personas(
      "personas: {ops: {app: {ssh: {host: a, user: u, known_hosts: ~/kh, password_env: PW}}}}",
      test::place);
  REQUIRE(personas.value);
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- {persona: ops, kind: ssh, options: {host: b, port: 2222, "
      "encoding: latin1, keepalive_s: 0, command: uptime -p}}\n",
      &*personas.value);
  const Launch& launch = plan.launches[0];
  CHECK(json::parse(launch.create.options) == json{{"host", "b"},
                                                   {"port", 2222},
                                                   {"username", "u"},
                                                   {"known_hosts", "/home/me/kh"},
                                                   {"encoding", "latin1"},
                                                   {"keepalive_s", 0},
                                                   {"command", "uptime -p"}});
  CHECK(launch.create.program.empty());
  REQUIRE(launch.secrets.size() == 1);
  CHECK(launch.secrets[0].key == "password");
  CHECK(launch.secrets[0].variable == "PW");
}

TEST_CASE("plan: telnet has its port and ssh with the user's configuration has none") {
  const Plan plan = test::plan_of(
      "name: n\nparticipants:\n- {role: a, kind: telnet, options: {host: bbs}}\n"
      "- {role: b, kind: ssh, options: {host: h, use_ssh_config: true}}\n");
  CHECK(json::parse(plan.launches[0].create.options) == json{{"host", "bbs"}, {"port", 23}});
  CHECK(json::parse(plan.launches[1].create.options) ==
        json{{"host", "h"}, {"use_ssh_config", true}});
}

TEST_CASE("plan: a missing host or host key or persona is told before anything starts") {
  CHECK(problems_of("name: n\nparticipants:\n- {role: a, kind: telnet}\n") ==
        "file.yaml:3: a has no host, in its options or its persona\n");
  CHECK(problems_of("name: n\nparticipants:\n- {role: a, kind: ssh, options: {host: h, "
                    "insecure_no_host_check: false}}\n")
            .find("file.yaml:3: a has no known_hosts") == 0);
  CHECK(problems_of("name: n\nparticipants:\n- {role: a, kind: ssh, options: {host: h, "
                    "insecure_no_host_check: true}}\n")
            .empty());
  const Personas none;
  CHECK(problems_of("name: n\nparticipants:\n- {persona: ghost}\n", &none) ==
        "file.yaml:3: the file of personas has no ghost\n");
}

TEST_CASE("plan: the daemon's features are asked for by what a scenario uses") {
  const auto features = [](const std::string& participant) {
    std::vector<std::string> names;
    for (const Needed& needed :
         needed_features(test::plan_of("name: n\nparticipants:\n- " + participant + "\n"))) {
      names.emplace_back(needed.feature);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(features("{role: a}") == Names{"request_id"});
  CHECK(features("{role: a, ready: x}") == Names{"request_id", "text"});
  CHECK(features("{role: a, ready: {exit: 0}}") == Names{"request_id", "child_exit"});
  CHECK(features("{role: a, steps: [{keys: up}, {run: x}], options: {recording: true, "
                 "integrate: true}}") ==
        Names{"request_id", "recording", "integrate", "text", "journal", "control"});
  CHECK(features("{role: a, kind: telnet, options: {host: h}}") == Names{"request_id", "kinds"});
}

TEST_CASE("plan: steps are read in their order with macros filled in") {
  const Plan plan = test::plan_of(
      "name: n\n"
      "macros:\n"
      "  login:\n"
      "  - wait: {regex: 'login: $', timeout: 5}\n"
      "  - {send: me, enter: true}\n"
      "participants:\n"
      "- role: a\n"
      "  steps:\n"
      "  - macro: login\n"
      "  - keys: ctrl+c  enter\n"
      "  - keys: [a, 1]\n"
      "  - {run: make, timeout: 5m, expect: any}\n"
      "  - paste: \"x\\ny\"\n"
      "  - password_env: PW\n");
  const auto& steps = plan.launches[0].steps;
  REQUIRE(steps.size() == 7);
  CHECK(std::get<step::Wait>(steps[0].what).condition.regex == "login: $");
  CHECK(std::get<step::Wait>(steps[0].what).condition.timeout == Milliseconds{5000});
  CHECK(std::get<step::Send>(steps[1].what).text == "me");
  CHECK(std::get<step::Send>(steps[1].what).enter);
  CHECK(std::get<step::Keys>(steps[2].what).keys == std::vector<std::string>{"ctrl+c", "enter"});
  CHECK(std::get<step::Keys>(steps[3].what).keys == std::vector<std::string>{"a", "1"});
  CHECK_FALSE(std::get<step::Run>(steps[4].what).status);
  CHECK(std::get<step::Run>(steps[4].what).timeout == Milliseconds{300'000});
  CHECK(std::get<step::Paste>(steps[5].what).text == "x\ny");
  CHECK(steps[6].name() == "password_env");
  CHECK(steps[6].line == 14);
}
