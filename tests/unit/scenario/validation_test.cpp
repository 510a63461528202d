// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>

#include "scenario/fields.hpp"
#include "tests/unit/scenario/scenario_files.hpp"

using namespace troupe;
using namespace troupe::scenario;

namespace {

struct Case {
  const char* name;
  const char* text;
  const char* problem;  ///< the whole list of them, a line each
};

// Each text goes on after "name: n\nparticipants:\n" unless it starts with '!'.
constexpr Case cases[] = {
    {"unknown key of a participant", "- persona: a\n  colour: red\n",
     "file.yaml:4: unknown key colour\n"},
    {"unknown key at the top", "- persona: a\nspeed: 3\n", "file.yaml:4: unknown key speed\n"},
    {"unknown option", "- persona: a\n  options:\n    comand: x\n",
     "file.yaml:5: unknown key options.comand\n"},
    {"boolean for a number", "- persona: a\n  options:\n    cols: true\n",
     "file.yaml:5: options.cols must be an integer\n"},
    {"number in quotes", "- persona: a\n  options: {rows: '24'}\n",
     "file.yaml:4: options.rows must be an integer\n"},
    {"a decimal number", "- persona: a\n  options: {rows: 24.0}\n",
     "file.yaml:4: options.rows must be an integer\n"},
    {"size out of range", "- persona: a\n  options: {rows: 0, cols: 65536}\n",
     "file.yaml:4: options.cols must be from 1 to 65535\n"
     "file.yaml:4: options.rows must be from 1 to 65535\n"},
    {"boolean for a text", "- persona: true\n",
     "file.yaml:3: persona must be a text (put it in quotes)\n"},
    {"yes is no boolean", "- persona: a\n  protected: yes\n",
     "file.yaml:4: protected must be a boolean: true or false, without quotes\n"},
    {"a boolean in quotes", "- persona: a\n  options: {integrate: 'true'}\n",
     "file.yaml:4: options.integrate must be a boolean: true or false, without quotes\n"},
    {"list for a text", "- persona: [a]\n", "file.yaml:3: persona must be a text\n"},
    {"nobody", "- kind: terminal\n",
     "file.yaml:3: a participant needs a persona, a role or a name\n"},
    {"another kind", "- persona: a\n  kind: browser\n",
     "file.yaml:4: kind must be terminal, pty, ssh or telnet; no other kind is supported\n"},
    {"kinds that differ",
     "- persona: a\n  kind: pty\n  options: {connector_type: telnet, host: h}\n",
     "file.yaml:4: kind and options.connector_type differ\n"},
    {"keys of browsers", "- persona: a\n  url: x\n  startup_macros: []\n",
     "file.yaml:4: url is for browsers; a terminal has options and steps\n"
     "file.yaml:5: startup_macros is for browsers; a terminal has options and steps\n"},
    {"a host without ssh", "- persona: a\n  options: {host: h}\n",
     "file.yaml:4: options.host has no meaning for a pty; is connector_type: ssh missing?\n"},
    {"local options over ssh", "- persona: a\n  kind: ssh\n  options:\n    host: h\n    cwd: /\n",
     "file.yaml:7: options.cwd has a meaning only for a pty\n"},
    {"a key file over telnet", "- persona: a\n  kind: telnet\n  options: {host: h, key_path: k}\n",
     "file.yaml:5: options.key_path has no meaning for telnet\n"},
    {"unknown keys",
     "- persona: a\n  steps:\n    - keys: ctrl+C hyper+q f25\n    - keys: [space, '']\n",
     "file.yaml:5: steps.keys has an unknown key \"hyper+q\"\n"
     "file.yaml:5: steps.keys has an unknown key \"f25\"\n"
     "file.yaml:6: steps.keys has an unknown key \"\"\n"},
    {"twice the same name", "- persona: a\n- role: a\n",
     "file.yaml:4: two participants are called a; give one of them a name of its own\n"},
    {"needs of nobody beside a name that stands twice",
     "- persona: a\n  needs: [zz, zz, b]\n- role: a\n  needs: [yy]\n",
     "file.yaml:4: needs names no participant: b\n"
     "file.yaml:4: needs names no participant: zz\n"
     "file.yaml:5: two participants are called a; give one of them a name of its own\n"
     "file.yaml:6: needs names no participant: yy\n"},
    {"a key twice", "- persona: a\n  role: b\n  role: c\n",
     "file.yaml:5: the key role stands twice\n"},
    {"an empty condition", "- persona: a\n  ready: {timeout: 3}\n",
     "file.yaml:4: ready.needle, regex, idle or exit is missing: there is nothing to wait for\n"},
    {"exit with a needle", "- persona: a\n  ready: {needle: x, exit: true}\n",
     "file.yaml:4: ready.exit stands alone, without other conditions\n"},
    {"exit false", "- persona: a\n  ready: {exit: false}\n",
     "file.yaml:4: ready.exit must be true (any status) or a status from 0 to 255\n"},
    {"a wrong time", "- persona: a\n  ready: {idle: soon}\n",
     "file.yaml:4: ready.idle must be a time: seconds, or like 500ms, 90s, 2m, 1h (up to 24h)\n"},
    {"a command in a wait step", "- persona: a\n  steps:\n  - wait: {command: x, needle: y}\n",
     "file.yaml:5: unknown key wait.command\n"},
    {"two steps in one", "- persona: a\n  steps:\n  - send: x\n    run: y\n",
     "file.yaml:5: steps: a step has one of send, keys, paste, wait, run, password_env and "
     "macro\n"},
    {"an unknown macro", "- persona: a\n  steps:\n  - macro: m\n",
     "file.yaml:5: steps.macro names no macro of this file: m\n"},
    {"a macro in a macro", "- persona: a\nmacros:\n  m:\n  - macro: m\n",
     "file.yaml:6: macros.m.macro cannot stand inside of a macro\n"},
    {"an unknown key of a step", "- persona: a\n  steps:\n  - send: x\n    timeout: 3\n",
     "file.yaml:6: unknown key steps.timeout\n"},
    {"an expected status in quotes", "- persona: a\n  steps:\n  - {run: x, expect: '0'}\n",
     "file.yaml:5: steps.expect must be an integer\n"},
    {"command and args as lists", "- persona: a\n  options: {command: [a], args: [b]}\n",
     "file.yaml:4: options.args and a list in command say the same; use one\n"},
    {"no list of participants", "  a: b\n",
     "file.yaml:2: participants must be a list with at least one participant\n"},
    {"a second document", "- persona: a\n---\nname: m\n",
     "file.yaml:4: a second document; a scenario is one\n"},
    {"a tag", "- persona: !!str a\n", "file.yaml:3: tags such as !!str have no meaning here\n"},
    {"no name", "!participants: [{persona: a}]\n",
     "file.yaml:1: name is missing: the scenario needs one\n"},
    {"a text for a mapping", "!hello\n", "file.yaml:1: this must be a mapping of keys\n"},
    {"defaults have no command", "- persona: a\ndefaults: {command: x}\n",
     "file.yaml:4: unknown key defaults.command\n"},
};

std::string problems_of(const std::string& text) {
  return test::problems_of(read_scenario(text, test::place).problems);
}

}  // namespace

TEST_CASE("validation: each fault is told with its line") {
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const std::string text = one.text;
    const std::string whole = text[0] == '!' ? text.substr(1) : "name: n\nparticipants:\n" + text;
    CHECK(problems_of(whole) == one.problem);
  }
}

TEST_CASE("validation: faults are all told at once and in the order of the lines") {
  CHECK(problems_of("name: n\nparticipants:\n- persona: a\n  options: {cols: '80'}\n  x: 1\n"
                    "- persona: b\n  y: 1\n") ==
        "file.yaml:4: options.cols must be an integer\n"
        "file.yaml:5: unknown key x\n"
        "file.yaml:7: unknown key y\n");
  std::string many = "name: n\nparticipants:\n- persona: a\n";
  for (int at = 0; at < 200; ++at) {
    many += "  x" + std::to_string(at) + ": 1\n";
  }
  CHECK(read_scenario(many, test::place).problems.size() == Problems::max_problems + 1);
}

TEST_CASE("validation: SC-1 a password is refused wherever it stands and never repeated") {
  for (const std::string text :
       {"- persona: a\n  options: {connector_type: ssh, host: h, password: hunter2}\n",
        "- persona: a\n  options: {connector_type: ssh, host: h, Passphrase: hunter2}\n",
        "- persona: a\n  password: hunter2\n", "- persona: a\npassword: hunter2\n",
        "- persona: a\n  options: {env: {PGPASSWORD: hunter2}}\n",
        "- persona: a\n  options: {env: {password: hunter2}}\n",
        "- persona: a\n  options: {connector_type: ssh, host: h, password_env: hunter-2}\n",
        "- persona: a\n  steps: [{password_env: 'hunter2!'}]\n",
        "- persona: a\nmacros: {m: [{send: x, password: hunter2}]}\n"}) {
    const std::string problems = problems_of("name: n\nparticipants:\n" + text);
    CAPTURE(text);
    CAPTURE(problems);
    const bool told =
        problems.find("refused") != std::string::npos ||
        problems.find("must be the name of an environment variable") != std::string::npos;
    CHECK(told);
    CHECK(problems.find("hunter") == std::string::npos);
  }
  CHECK(problems_of("name: n\nparticipants:\n- persona: a\n  kind: ssh\n"
                    "  options: {host: h, password_env: MY_PASSWORD}\n")
            .empty());
}

TEST_CASE("validation: a port on a pty is a note and not a fault") {
  const auto read =
      read_scenario("name: n\nparticipants:\n- persona: a\n  options: {port: 22}\n", test::place);
  CHECK(read.value);
  CHECK(test::problems_of(read.notes) == "file.yaml:4: options.port has no meaning for a pty\n");
}

TEST_CASE("validation: limits of participants and steps") {
  const auto scenario = [](std::size_t participants, std::size_t steps) {
    std::string text = "name: n\nmacros:\n  m:\n";
    for (std::size_t at = 0; at < 128; ++at) {
      text += "  - send: x\n";
    }
    text += "participants:\n";
    for (std::size_t at = 0; at < participants; ++at) {
      text += "- role: r" + std::to_string(at) + "\n";
    }
    text += "  steps:\n";
    for (std::size_t at = 0; at < steps; ++at) {
      text += "  - macro: m\n";
    }
    return text;
  };
  CHECK(problems_of(scenario(max_participants, 2)).empty());
  CHECK(problems_of(scenario(max_participants + 1, 2)).find("has more than 64") !=
        std::string::npos);
  CHECK(problems_of(scenario(1, 3)).find("more than 256 steps") != std::string::npos);
}

TEST_CASE("validation: times have units and bounds") {
  const auto text = [](const std::string& time) {
    return "name: n\nparticipants:\n- persona: a\n  ready: {idle: " + time + "}\n";
  };
  for (const char* const good : {"1.5", "500ms", "2m", "24h"}) {
    CAPTURE(good);
    CHECK(test::problems_of(read_scenario(text(good), test::place).problems).empty());
  }
  for (const char* const wrong : {"''", "0", "-1", "25h", "1d", "nan", "[1]", "1e3", "s", "1 s"}) {
    CAPTURE(wrong);
    CHECK(test::problems_of(read_scenario(text(wrong), test::place).problems) ==
          "file.yaml:4: ready.idle must be a time: seconds, or like 500ms, 90s, 2m, 1h (up to "
          "24h)\n");
  }
}

TEST_CASE("validation: only the name is read to close a scenario") {
  CHECK(read_scenario_name("name: n\nparticipants: 7\nrubbish: true\n", test::place).value == "n");
  CHECK_FALSE(read_scenario_name("participants: 7\n", test::place).value);
  CHECK_FALSE(read_scenario_name("name: [n\n", test::place).value);
}

TEST_CASE("validation: personas pass over what is for other programs and nothing of ssh") {
  const auto good = read_personas(
      "personas:\n  a: {email: x@y, app: {browser: {}, ssh: {host: h, key_path: k}}}\n  b:\n",
      test::place);
  REQUIRE(good.value);
  CHECK(good.value->at("a").ssh.host == "h");
  CHECK(good.value->at("a").ssh.key_path == "/work/here/k");
  CHECK(good.value->count("b") == 1);
  const auto bad = read_personas("personas:\n  a:\n    app:\n      ssh: {hosst: h}\n", test::place);
  CHECK(test::problems_of(bad.problems) == "file.yaml:4: unknown key a.app.ssh.hosst\n");
}
