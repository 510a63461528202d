// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "pty/process_table.hpp"
#include "pty_harness.hpp"

using namespace troupe;
using namespace troupe::pty;
using namespace troupe::pty::test;

namespace {

bool session_is_empty(int leader) {
  const auto table = ProcessTable::read();
  return std::none_of(table.all().begin(), table.all().end(), [&](const ProcessInfo& process) {
    return process.session == leader && !process.dead();
  });
}

}  // namespace

// PT-7
TEST_CASE("terminate: the whole session dies whatever it does against it") {
  struct Case {
    const char* name;
    const char* script;
  };
  static constexpr Case cases[] = {
      {"obedient", "printf READY; exec sleep 1000"},
      {"ignores HUP", "trap '' HUP; printf READY; sleep 1000"},
      {"ignores HUP and TERM", "trap '' HUP TERM; printf READY; while :; do sleep 1; done"},
      {"stopped", "printf READY; kill -STOP $$"},
      {"stopped and deaf", "trap '' HUP TERM; printf READY; kill -STOP $$"},
      {"background jobs", "trap '' HUP; sleep 1000 & sleep 1000 & printf READY; wait"},
      {"own sessions", "setsid sleep 1000 & setsid sleep 1000 & printf READY; wait"},
      {"job control", "set -m; sleep 1000 & sleep 1000 | cat & printf READY; wait"},
      {"breeds on HUP",
       "trap 'sleep 1000 & sleep 1000 & exit' HUP; printf READY; "
       "while :; do sleep 0.05; done"},
      {"floods", "printf READY; yes"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.name);
    Harness harness;
    auto& terminal = harness.shell(one.script);
    REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
    const int leader = terminal.channel->pid().value();
    const auto tree = ProcessTable::read().session_tree(leader);
    const auto result = harness.terminate(terminal);
    CHECK(result.survivors.empty());
    REQUIRE(result.status.has_value());
    CHECK(terminal.exit.has_value());
    CHECK(session_is_empty(leader));
    for (const auto& process : tree) {
      CHECK_FALSE(process_lives(process.pid));
    }
    CHECK(zombies().empty());
  }
}

TEST_CASE("terminate: jobs that outlived the leader are found by its session") {
  Harness harness;
  auto& terminal = harness.shell(
      "trap '' HUP; sleep 1000 </dev/null >/dev/null 2>&1 & printf 'pid=%s.' $!; exit 0");
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  const int job = number_after(terminal.output, "pid=");
  CHECK(process_lives(job));
  const auto result = harness.terminate(terminal);
  CHECK(result.survivors.empty());
  CHECK(result.status->exit_code == 0);
  CHECK_FALSE(process_lives(job));
  CHECK(zombies().empty());
}

TEST_CASE("terminate: who left the session and still holds the terminal is named") {
  Harness harness;
  auto& terminal =
      harness.shell("trap '' HUP; setsid sh -c 'printf \"pid=%s.\" $$; exec sleep 1000' & exit 0");
  REQUIRE(harness.run_until([&] { return terminal.exit.has_value() && terminal.shows("."); }));
  const int holder = number_after(terminal.output, "pid=");
  REQUIRE(process_lives(holder));
  SUBCASE("while the stream is open") {}
  SUBCASE("after it was ended over its head") {
    CHECK(harness.holders(terminal) == std::vector<int>{holder});
    terminal.channel->end_stream();
    REQUIRE(harness.run_until([&] { return terminal.end && zombies().empty(); }));
  }
  CHECK(harness.terminate(terminal).survivors == std::vector<int>{holder});
  CHECK(::kill(holder, SIGKILL) == 0);
  CHECK(zombies().empty());
}

TEST_CASE("terminate: later calls and calls after the end get the same answer") {
  Harness harness;
  auto& terminal = harness.shell("trap '' HUP; printf READY; sleep 1000; exit 6");
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  int answers = 0;
  for (int i = 0; i < 3; ++i) {
    terminal.channel->terminate([&](const TerminateResult&) { ++answers; });
  }
  REQUIRE(harness.run_until([&] { return answers == 3; }));
  CHECK(harness.terminate(terminal).survivors.empty());
  auto& ended = harness.shell("exit 7");
  REQUIRE(harness.run_until([&] { return ended.over() && zombies().empty(); }));
  CHECK(harness.terminate(ended).status->exit_code == 7);
}

TEST_CASE("terminate: a large unread write does not delay it") {
  Harness harness;
  auto& terminal = harness.shell("stty raw -echo; printf READY; exec sleep 1000");
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  REQUIRE(terminal.channel->write(std::string(1048576, 'x'), 1).ok());
  CHECK(harness.terminate(terminal).status->signal == SIGHUP);
}

TEST_CASE("terminate: it needs no credit and no start") {
  Harness harness;
  auto opened = harness.open(shell_command("yes"));
  REQUIRE(opened.ok());
  auto channel = std::move(opened).value();
  bool done = false;
  channel->terminate([&](const TerminateResult& result) {
    CHECK(result.survivors.empty());
    done = true;
  });
  REQUIRE(harness.run_until([&] { return done; }));
  CHECK(zombies().empty());
}

// PT-8
TEST_CASE("terminate: destroying a channel ends its session in the background") {
  Harness harness;
  auto& terminal = harness.shell("trap '' HUP; sleep 1000 & printf 'pid=%s.' $!; wait");
  REQUIRE(harness.run_until([&] { return terminal.shows("."); }));
  const int leader = terminal.channel->pid().value();
  const int job = number_after(terminal.output, "pid=");
  harness.terminals.clear();
  CHECK(harness.run_until(
      [&] { return !process_lives(job) && !process_lives(leader) && zombies().empty(); }));
}

TEST_CASE("terminate: many terminals end together") {
  Harness harness;
  for (int i = 0; i < 50; ++i) {
    harness.shell("trap '' HUP; printf READY; sleep 1000");
  }
  REQUIRE(harness.run_until([&] {
    return std::all_of(harness.terminals.begin(), harness.terminals.end(),
                       [](const auto& terminal) { return terminal->shows("READY"); });
  }));
  std::size_t done = 0;
  for (auto& terminal : harness.terminals) {
    terminal->channel->terminate([&](const TerminateResult& result) {
      CHECK(result.survivors.empty());
      ++done;
    });
  }
  REQUIRE(harness.run_until([&] { return done == 50; }));
  CHECK(zombies().empty());
}

TEST_CASE("signal: it reaches the foreground or the leader or all") {
  Harness harness;
  SUBCASE("foreground") {
    auto& terminal = harness.terminal(command(
        "/bin/bash",
        {"--norc", "-ic", "trap 'echo shell' USR1; echo READY; sleep 1000; echo after=$?"}));
    REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
    REQUIRE(harness.run_until([&] { return harness.foreground(terminal) == "sleep"; }));
    CHECK(harness.signal(terminal, SIGUSR1, SignalTarget::foreground).ok());
    REQUIRE(harness.run_until([&] { return terminal.shows("after=138"); }));
    CHECK_FALSE(terminal.shows("shell"));
  }
  SUBCASE("leader") {
    auto& terminal =
        harness.shell("trap 'echo shell; exit 9' USR1; echo READY; while :; do sleep 0.05; done");
    REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
    CHECK(harness.signal(terminal, SIGUSR1, SignalTarget::leader).ok());
    REQUIRE(harness.run_until([&] { return terminal.over(); }));
    CHECK(terminal.exit->exit_code == 9);
  }
  SUBCASE("session") {
    auto& terminal = harness.shell(
        "set -m; trap 'echo shell' USR1; sleep 1000 & printf 'pid=%s.' $!; wait; wait; exit 3");
    REQUIRE(harness.run_until([&] { return terminal.shows("."); }));
    const int job = number_after(terminal.output, "pid=");
    // Between fork and exec the job still has the shell's trap.
    REQUIRE(harness.run_until([&] {
      const auto info = read_process(job);
      return info && info->name == "sleep";
    }));
    CHECK(harness.signal(terminal, SIGUSR1, SignalTarget::session).ok());
    REQUIRE(harness.run_until([&] { return terminal.over(); }));
    CHECK(terminal.shows("shell"));
    CHECK_FALSE(process_lives(job));
  }
  SUBCASE("nobody") {
    auto& terminal = harness.shell("exit 0");
    CHECK(harness.signal(terminal, 0, SignalTarget::leader).error().code == Code::bad_request);
    CHECK(harness.signal(terminal, 9999, SignalTarget::leader).error().code == Code::bad_request);
    REQUIRE(harness.run_until([&] { return terminal.over() && zombies().empty(); }));
    for (const auto target :
         {SignalTarget::foreground, SignalTarget::leader, SignalTarget::session}) {
      const auto result = harness.signal(terminal, SIGTERM, target);
      REQUIRE_FALSE(result);
      CHECK(result.error().code == Code::exited);
    }
  }
}

TEST_CASE("foreground: it is the program that the user sees") {
  Harness harness;
  auto& terminal = harness.terminal(command("/bin/bash", {"--norc", "-i"}));
  REQUIRE(harness.run_until([&] { return harness.foreground(terminal) == "bash"; }));
  CHECK(terminal.channel->write("sleep 1000\n", 0).ok());
  CHECK(harness.run_until([&] { return harness.foreground(terminal) == "sleep"; }));
  CHECK(terminal.channel->write("\x03", 0).ok());
  CHECK(harness.run_until([&] { return harness.foreground(terminal) == "bash"; }));
  CHECK(terminal.channel->write("/bin/sh -c 'cat | sleep 1001; :'\n", 0).ok());
  CHECK(harness.run_until([&] { return harness.foreground(terminal) == "sleep"; }));
  harness.terminate(terminal);
  CHECK(harness.foreground(terminal).empty());
}
