// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "pty_harness.hpp"

using namespace troupe;
using namespace troupe::pty;
using namespace troupe::pty::test;

namespace {

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 12345;
  for (auto& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

/// A file that a child waits for, so that the test decides when it goes on.
struct Gate {
  std::string path = "/tmp/troupe-gate-" + random_hex(8);
  void open() const { std::fclose(std::fopen(path.c_str(), "w")); }
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { std::remove(path.c_str()); }
};

}  // namespace

// PT-1
TEST_CASE("stream: a child that exits at once loses no output") {
  Harness harness;
  for (int i = 0; i < 200; ++i) {
    auto& terminal = harness.shell("printf 'line %s\\n' 1 2 3 4 5 6 7 8 9 end");
    REQUIRE(harness.run_until([&] { return terminal.over(); }));
    CHECK(terminal.output.ends_with("line end\r\n"));
    CHECK(std::count(terminal.output.begin(), terminal.output.end(), '\n') == 10);
    CHECK_FALSE(terminal.data_after_end);
    harness.terminals.clear();
  }
}

TEST_CASE("stream: large output of a fast program arrives whole in bounded chunks") {
  Harness harness;
  auto& terminal = harness.shell("stty raw; exec head -c 8388608 /dev/zero");
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK(terminal.output.size() == 8388608);
  CHECK(*std::max_element(terminal.chunks.begin(), terminal.chunks.end()) <= max_chunk_bytes);
}

// PT-3
TEST_CASE("stream: without credit the child blocks and nothing is lost") {
  Harness harness;
  auto opened = harness.open(shell_command("stty raw; head -c 1000000 /dev/zero; printf END"));
  REQUIRE(opened.ok());
  harness.terminals.push_back(std::make_unique<Terminal>());
  auto& terminal = *harness.terminals.back();
  terminal.hold = true;
  terminal.channel = std::move(opened).value();
  terminal.start();
  REQUIRE(harness.run_until([&] { return terminal.held == max_unconsumed_chunks; }));
  // Other terminals go on meanwhile, and this one gets no further.
  auto& other = harness.shell("printf other");
  REQUIRE(harness.run_until([&] { return other.over(); }));
  CHECK(terminal.held == max_unconsumed_chunks);
  CHECK_FALSE(terminal.exit.has_value());
  terminal.hold = false;
  terminal.channel->consumed(std::exchange(terminal.held, 0));
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK(terminal.output.size() == 1000003);
  CHECK(terminal.output.ends_with("END"));
}

// PT-5
TEST_CASE("stream: a paste of 1 MiB into a program that does not read arrives byte for byte") {
  Harness harness;
  const Gate gate;
  auto& terminal = harness.shell(
      "stty raw -echo; printf READY; while [ ! -e \"$GATE\" ]; do sleep 0.02; done; "
      "head -c 1048581 | md5sum; printf DONE",
      {{"GATE", gate.path}});
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  const auto paste = pattern(1048576);
  REQUIRE(terminal.channel->write(paste, 1).ok());
  REQUIRE(terminal.channel->write("after", 2).ok());
  CHECK(terminal.channel->queued_bytes() > 0);
  // Nobody else notices.
  auto& other = harness.shell("read line; printf \"got $line\"");
  REQUIRE(other.channel->write("word\n", 0).ok());
  REQUIRE(harness.run_until([&] { return other.over(); }));
  CHECK(other.shows("got word"));
  CHECK(terminal.written.empty());
  gate.open();
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  // md5 of pattern(1048576) + "after".
  auto& reference =
      harness.shell("stty raw -echo; printf READY; head -c 1048581 | md5sum; printf DONE");
  REQUIRE(harness.run_until([&] { return reference.shows("READY"); }));
  for (std::size_t at = 0; at < paste.size(); at += 1024) {
    REQUIRE(reference.channel->write(paste.substr(at, 1024), 0).ok());
  }
  REQUIRE(reference.channel->write("after", 0).ok());
  REQUIRE(harness.run_until([&] { return reference.over(); }));
  CHECK(terminal.output == reference.output);
  REQUIRE(terminal.written.size() == 2);
  CHECK(terminal.written[0].id == 1);
  CHECK(terminal.written[0].written == 1048576);
  CHECK(terminal.written[0].complete);
  CHECK(terminal.written[1].id == 2);
}

TEST_CASE("stream: what a program reads is echoed back byte for byte") {
  Harness harness;
  auto& terminal = harness.shell("stty raw -echo; printf READY; exec cat");
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  const auto bytes = pattern(1048576);
  REQUIRE(terminal.channel->write(bytes, 9).ok());
  REQUIRE(harness.run_until([&] { return terminal.output.size() >= bytes.size() + 5; }));
  CHECK(terminal.output.substr(5) == bytes);
}

TEST_CASE("stream: a full queue refuses whole writes and a dead terminal tells how far each came") {
  Harness harness;
  auto& terminal = harness.shell("stty raw -echo; printf READY; exec sleep 1000");
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  REQUIRE(terminal.channel->write(std::string(write_queue_bytes - 1000, 'x'), 5).ok());
  const auto refused = terminal.channel->write(std::string(write_queue_bytes, 'y'), 6);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::busy);
  harness.terminate(terminal);
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  REQUIRE(terminal.written.size() == 1);
  CHECK(terminal.written[0].id == 5);
  CHECK_FALSE(terminal.written[0].complete);
  CHECK(terminal.written[0].written > 0);
  CHECK(terminal.written[0].written < write_queue_bytes - 1000);
  const auto late = terminal.channel->write("x", 7);
  REQUIRE_FALSE(late);
  CHECK(late.error().code == Code::exited);
}

// PT-6
TEST_CASE("stream: a background process holds the stream after the child's exit and is named") {
  Harness harness;
  auto& terminal = harness.shell(
      "trap '' HUP; (read x </tmp/troupe-nothing; sleep 1000) 2>/dev/null & "
      "sleep 1000 & printf 'pid=%s.' $!; exit 4");
  REQUIRE(harness.run_until([&] { return terminal.exit.has_value(); }));
  CHECK(terminal.exit->exit_code == 4);
  CHECK_FALSE(terminal.end.has_value());
  const int holder = number_after(terminal.output, "pid=");
  REQUIRE(holder > 0);
  const auto pids = harness.holders(terminal);
  CHECK(std::find(pids.begin(), pids.end(), holder) != pids.end());
  SUBCASE("until it ends") {
    CHECK(harness.signal(terminal, SIGTERM, SignalTarget::session).ok());
    REQUIRE(harness.run_until([&] { return terminal.end.has_value(); }));
    CHECK_FALSE(terminal.end->forced);
  }
  SUBCASE("or until the stream is ended over its head") {
    terminal.channel->end_stream();
    REQUIRE(harness.run_until([&] { return terminal.end.has_value(); }));
    CHECK(terminal.end->forced);
    CHECK(process_lives(holder));
    CHECK(harness.holders(terminal).empty());
    // Still ours to end.
    CHECK(harness.terminate(terminal).survivors.empty());
    CHECK_FALSE(process_lives(holder));
  }
  harness.terminals.clear();
  CHECK(harness.run_until([] { return zombies().empty(); }));
}

TEST_CASE("stream: late output of a background process comes after the child's exit") {
  Harness harness;
  const Gate gate;
  auto& terminal = harness.shell(
      "trap '' HUP; (while [ ! -e \"$GATE\" ]; do sleep 0.02; done; printf late) & exit 0",
      {{"GATE", gate.path}});
  REQUIRE(harness.run_until([&] { return terminal.exit.has_value(); }));
  CHECK_FALSE(terminal.end.has_value());
  gate.open();
  REQUIRE(harness.run_until([&] { return terminal.end.has_value(); }));
  CHECK(terminal.output == "late");
}

TEST_CASE("stream: forced ends stop an endless writer and deliver what was read") {
  Harness harness;
  auto& terminal = harness.shell("trap '' HUP; yes & exit 0");
  REQUIRE(harness.run_until([&] { return terminal.exit.has_value(); }));
  terminal.channel->end_stream();
  REQUIRE(harness.run_until([&] { return terminal.end.has_value(); }));
  CHECK(terminal.end->forced);
  CHECK_FALSE(terminal.data_after_end);
}

TEST_CASE("stream: resizing tells the program and refuses what is no size") {
  Harness harness;
  auto& terminal =
      harness.shell("trap 'stty size; exit' WINCH; printf READY; while :; do sleep 0.05; done");
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  CHECK(terminal.channel->resize({.cols = 0, .rows = 5}).error().code == Code::bad_request);
  CHECK(terminal.channel->resize({.cols = 100, .rows = 50}).ok());
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK(terminal.shows("50 100"));
  CHECK(terminal.channel->resize({.cols = 100, .rows = 50}).error().code == Code::exited);
}

TEST_CASE("stream: the line discipline tells a password prompt") {
  Harness harness;
  auto& terminal = harness.shell("printf READY; read a; stty -echo; printf SECRET; read b; exit");
  REQUIRE(harness.run_until([&] { return terminal.shows("READY"); }));
  auto state = terminal.channel->line_state();
  REQUIRE(state.has_value());
  CHECK(state->echo);
  CHECK(state->canonical);
  CHECK(terminal.channel->write("\n", 0).ok());
  REQUIRE(harness.run_until([&] { return terminal.shows("SECRET"); }));
  state = terminal.channel->line_state();
  REQUIRE(state.has_value());
  CHECK_FALSE(state->echo);
  CHECK(state->canonical);
  CHECK(terminal.channel->write("\n", 0).ok());
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK_FALSE(terminal.channel->line_state().has_value());
}

TEST_CASE("stream: a channel that is destroyed inside its handler falls silent") {
  Harness harness;
  auto opened = harness.open(shell_command("while :; do echo noise; done"));
  REQUIRE(opened.ok());
  auto channel = std::move(opened).value();
  int events = 0;
  channel->start([&](const ChannelEvent&) {
    ++events;
    channel.reset();
  });
  REQUIRE(harness.run_until([&] { return channel == nullptr; }));
  CHECK(harness.run_until([] { return zombies().empty(); }));
  CHECK(events == 1);
}
