// SPDX-License-Identifier: MIT
#include "actors/terminal_core.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "recorders.hpp"

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::actors::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
using Log = std::vector<std::string>;

TEST_CASE("terminal: a controller gets attached then its own change then output") {
  CoreFixture f;
  f.output("READY");
  f.subscribe(100, "c", protocol::Role::controller);
  f.output("hi");
  CHECK(f.session->log == Log{"reply 1 attached", "event controller_changed", "output 5 hi"});
  const auto* const attached = f.session->find<reply::Attached>(1);
  REQUIRE(attached != nullptr);
  CHECK(attached->replay == "READY");
  CHECK(attached->end_offset == 5);
  CHECK(attached->generation == 1);
}

TEST_CASE(
    "terminal: an event waits behind the output before it and a title cuts its batch") {
  CoreFixture f;
  f.subscribe(100, "o");
  f.session->log.clear();
  f.output("a");
  f.output(
      "b\x1b]2;T\x07"
      "c");
  f.advance_us(2000);
  f.core->tick(f.now);
  CHECK(f.session->log ==
        Log{"output 0 a", "output 1 b\x1b]2;T\x07", "event title_changed", "output 8 c"});
  CHECK(f.board.info.title == "T");
}

TEST_CASE("terminal: resize publishes its checkpoint before later output") {
  CoreFixture f;
  f.subscribe(100, "o");
  f.output("x");
  f.output("y");
  f.session->log.clear();
  request::Resize resize;
  resize.cols = 100;
  resize.rows = 30;
  f.ask(resize);
  CHECK(f.session->log == Log{"output 1 y", "event resized", "reply 2 ok"});
  REQUIRE(f.channel.sizes.size() == 1);
  CHECK(f.channel.sizes[0].cols == 100);
  CHECK(f.board.info.cols == 100);
}

TEST_CASE("terminal: input promotes resizes and writes as one command") {
  CoreFixture f;
  f.subscribe(100, "first", protocol::Role::controller);
  f.subscribe(101, "second");
  f.session->log.clear();
  request::Input input;
  input.attachment_id = "second";
  input.cols = 90;
  input.rows = 24;
  input.data = "typed";
  f.ask(input);
  CHECK(f.session->log == Log{"event controller_changed", "event controller_changed",
                              "event resized", "event resized", "reply 3 ok"});
  CHECK(f.channel.written == "typed");
  f.ask(write_of("no", "first"));
  CHECK(f.session->find<reply::Error>(4)->code == Code::not_controller);
  CHECK(f.channel.written == "typed");
}

TEST_CASE("terminal: a stalled controller stops the reading and nobody else does") {
  CoreFixture f;
  f.subscribe(100, "c", protocol::Role::controller);
  f.subscribe(101, "o");
  std::size_t fed = 0;
  std::string const chunk(64 * 1024, 'x');
  while (f.channel.credit == fed) {
    f.output(chunk);
    ++fed;
    REQUIRE(fed < 100);
  }
  CHECK(fed * chunk.size() >= SubscriberSet::controller_window);
  f.output(chunk);
  CHECK(f.channel.credit == fed - 1);
  // It still answers.
  f.advance_us(FrameWatch::rest_us);
  const RequestKey snapshot = f.ask(request::Snapshot{});
  CHECK(f.session->find<reply::Snapshot>(snapshot) != nullptr);
  SUBCASE("until it reads") {
    f.drain(100);
    CHECK(f.channel.credit == fed + 1);
  }
  SUBCASE("until it leaves to one that reads") {
    f.drain(101);
    f.core->detach(100, f.now);
    CHECK(f.channel.credit == fed + 1);
  }
}

TEST_CASE("terminal: an observer that does not read is dropped alone after its backlog") {
  CoreFixture f;
  f.subscribe(100, "slow");
  f.subscribe(101, "reader");
  std::string const chunk(64 * 1024, 'x');
  while (f.session->over.empty()) {
    f.output(chunk);
    f.drain(101);
  }
  CHECK(f.session->over == std::vector<SubscriberId>{100});
  CHECK(f.session->bytes[100].size() >= 1024 * 1024);
  CHECK(f.session->log.back().rfind("ended lagging", 0) == 0);
  f.output("more");
  f.advance_us(2000);
  f.core->tick(f.now);
  CHECK(f.session->bytes[101].substr(f.session->bytes[101].size() - 4) == "more");
}

TEST_CASE("terminal: a resyncing observer hears what it lost and goes on from there") {
  CoreFixture f;
  request::Subscribe subscribe;
  subscribe.attachment_id = "r";
  subscribe.resync = true;
  f.ask(subscribe, {100, 0});
  std::string const chunk(64 * 1024, 'x');
  std::size_t total = 0;
  while (f.session->bytes[100].size() == total) {
    f.output(chunk);
    total += chunk.size();
  }
  std::size_t const got = f.session->bytes[100].size();
  f.output(chunk);
  total += chunk.size();
  f.drain(100);
  REQUIRE(!f.session->events.empty());
  const auto* const resync = std::get_if<protocol::event::Resync>(f.session->events.back().get());
  REQUIRE(resync != nullptr);
  CHECK(resync->lost_from == got);
  CHECK(resync->lost_to == total);
  CHECK(resync->offset == total);
  CHECK(f.session->over.empty());
  f.output("after");
  f.advance_us(2000);
  f.core->tick(f.now);
  CHECK(f.session->log.back() == "output " + std::to_string(total) + " after");
}

TEST_CASE("terminal: a turn that took long makes the next one read less") {
  CoreFixture f;
  const std::string chunk(TurnSlice::most_bytes, 'x');
  f.news(pty::Data{chunk});
  CHECK_FALSE(f.core->wants_resume());
  f.core->turn_took(TurnSlice::long_us + 1);
  f.news(pty::Data{chunk});
  CHECK(f.board.info.output_tail == chunk.size() * 3 / 2);
  REQUIRE(f.core->wants_resume());
  CHECK(f.channel.credit == 1);  // nothing more is read meanwhile
  f.core->turn_took(TurnSlice::short_us);
  f.core->resume(f.now);
  CHECK(f.board.info.output_tail == chunk.size() * 2);
  CHECK_FALSE(f.core->wants_resume());
  CHECK(f.channel.credit == 2);
  request::Wait wait;
  wait.regex = "dear or cheap";
  f.ask(wait);
  f.news(pty::Data{chunk});
  CHECK(f.board.info.output_tail == chunk.size() * 2 + TurnSlice::least_bytes);
  while (f.core->wants_resume()) {
    f.core->resume(f.now);
  }
  // Turns of a few bytes are not measured, and are not the next one's either.
  for (int key = 0; key < 8; ++key) {
    f.news(pty::Data{std::string(TurnSlice::least_bytes / 4, 'k')});
  }
  f.core->turn_took(1);
  const StreamOffset before = f.board.info.output_tail;
  f.news(pty::Data{chunk});
  CHECK(f.board.info.output_tail == before + TurnSlice::least_bytes);
}

TEST_CASE("terminal: a run of several lines is typed at the prompt that takes it as one") {
  CoreFixture f;
  request::Run run;
  run.text = "false\ntrue";
  run.timeout_ms = 60'000;
  const std::string pasted = "\x1b[200~false\rtrue\x1b[201~\r";
  f.output("\x1b[?2004h$ ");
  f.output("\x1b[?2004l");  // a command begins, and ends
  SUBCASE("which comes") {
    f.ask(run);
    f.output("bye\r\n");
    CHECK(f.channel.written.empty());
    f.output("\x1b[?2004h$ ");
    CHECK(f.channel.written == pasted);
  }
  SUBCASE("or does not") {
    f.ask(run);
    f.advance_us(TerminalCore::prompt_patience_us);
    CHECK(f.core->deadline_us() == f.now.steady_us);
    f.core->tick(f.now);
    CHECK(f.channel.written == "false\rtrue\r");
  }
  SUBCASE("unless its client has gone") {
    const RequestKey key = f.ask(run);
    f.core->cancel(key);
    f.output("\x1b[?2004h$ ");
    CHECK(f.channel.written.empty());
  }
  SUBCASE("and one line at once") {
    run.text = "true\n";
    f.ask(run);
    CHECK(f.channel.written == "true\r");
  }
  SUBCASE("as in a program that takes no pastes") {
    CoreFixture other;
    other.ask(run);
    CHECK(other.channel.written == "false\rtrue\r");
  }
}

TEST_CASE("terminal: exited needs the child's end and the stream's in either order") {
  CoreFixture f;
  f.subscribe(100, "o");
  f.session->log.clear();
  SUBCASE("child first") {
    f.news(pty::ChildExit{{3, {}}});
    CHECK(f.session->log.empty());
    CHECK(std::holds_alternative<protocol::Running>(f.board.info.lifecycle));
    f.output("late");
    f.news(pty::EndOfStream{});
    CHECK(f.session->log == Log{"output 0 late", "event exited", "ended exited 4"});
  }
  SUBCASE("stream first") {
    f.news(pty::EndOfStream{});
    CHECK(f.session->log.empty());
    f.news(pty::ChildExit{{3, {}}});
    CHECK(f.session->log == Log{"event exited", "ended exited 0"});
  }
  const auto* const exited = std::get_if<protocol::event::Exited>(f.session->events.back().get());
  REQUIRE(exited != nullptr);
  CHECK(exited->exit_code == 3);
  CHECK(f.board.exits == 1);
  CHECK(std::get<protocol::Exited>(f.board.info.lifecycle).exit_code == 3);
}

TEST_CASE("terminal: a new title and the child's end are told when the card has them") {
  CoreFixture f;
  f.ask(request::Rename{{77}, "mine"});
  CHECK(f.board.changes == 1);
  CHECK(f.board.info.user_title == "mine");
  f.news(pty::ChildExit{{3, {}}});
  f.news(pty::EndOfStream{});
  CHECK(f.board.changes == 2);
  CHECK(f.board.info.child_exit);
  CHECK(f.board.exits == 1);
}

TEST_CASE("terminal: a death by signal is 128 and the number with its name") {
  CoreFixture f;
  const RequestKey wait = f.ask(request::WaitExit{{77}, 60'000});
  f.news(pty::ChildExit{{{}, 9}});
  f.news(pty::EndOfStream{});
  const auto* const exit = f.session->find<reply::Exit>(wait);
  REQUIRE(exit != nullptr);
  CHECK(exit->exit_code == 137);
  CHECK(exit->signal == "SIGKILL");
  CHECK_FALSE(exit->timed_out);
}

TEST_CASE("terminal: a held stream tells the child's exit and who holds it") {
  CoreFixture f;
  const RequestKey wait = f.ask(request::WaitExit{{77}, 60'000});
  f.news(pty::ChildExit{{5, {}}});
  REQUIRE(f.core->deadline_us());
  f.now.steady_us = *f.core->deadline_us();
  f.core->tick(f.now);
  CHECK(f.channel.holder_walks == 1);
  f.core->on_holders({4321}, f.now);
  const auto* const exit = f.session->find<reply::Exit>(wait);
  REQUIRE(exit != nullptr);
  CHECK(exit->held_by == std::vector<std::int32_t>{4321});
  REQUIRE(f.board.info.child_exit);
  CHECK(std::holds_alternative<protocol::Running>(f.board.info.lifecycle));
}

TEST_CASE("terminal: drain_ms ends the stream though it is held") {
  CoreFixture f{200};
  f.subscribe(100, "o");
  f.news(pty::ChildExit{{5, {}}});
  for (int i = 0; i < 2; ++i) {
    f.now.steady_us = *f.core->deadline_us();
    f.core->tick(f.now);
    f.core->on_holders({4321}, f.now);
  }
  CHECK(f.channel.ended_streams == 1);
  f.news(pty::EndOfStream{true});
  const auto* const exited = std::get_if<protocol::event::Exited>(f.session->events.back().get());
  REQUIRE(exited != nullptr);
  CHECK(exited->held_by == std::vector<std::int32_t>{4321});
}

TEST_CASE("terminal: a wait for the exit is answered when the child's output is drained") {
  CoreFixture f;
  request::Wait exit;
  exit.exit = true;
  exit.cursor = CursorOldest{};
  exit.timeout_ms = 60'000;
  const RequestKey wait = f.ask(exit);
  request::Wait needle;
  needle.needle = "late";
  needle.cursor = CursorOldest{};
  needle.timeout_ms = 60'000;
  const RequestKey text = f.ask(needle);
  f.news(pty::ChildExit{{4, {}}});
  f.output("hi");
  CHECK(f.session->find<reply::Text>(wait) == nullptr);
  SUBCASE("it falls silent") {
    for (int i = 0; i < 2; ++i) {
      f.now.steady_us = *f.core->deadline_us();
      f.core->tick(f.now);
      if (i == 0) {
        f.core->on_holders({4321}, f.now);
      }
    }
  }
  SUBCASE("another prints without end") {
    f.core->on_holders({4321}, f.now);
    for (int i = 0; i < 8; ++i) {
      f.output("\r" + std::string(64 * 1024 - 1, '\b'));
    }
  }
  REQUIRE(f.session->find<reply::Text>(wait) != nullptr);
  CHECK(f.session->find<reply::Text>(wait)->slice.text == "hi");
  CHECK(f.session->find<reply::Text>(wait)->reason == WaitReason::exit);
  CHECK(f.session->find<reply::Text>(wait)->matched);
  CHECK(std::holds_alternative<protocol::Running>(f.board.info.lifecycle));
  CHECK(f.session->find<reply::Text>(text) == nullptr);
  f.output(" late");
  REQUIRE(f.session->find<reply::Text>(text) != nullptr);
  CHECK(f.session->find<reply::Text>(text)->matched);
  CHECK(f.session->find<reply::Text>(f.ask(exit)) != nullptr);
}

TEST_CASE("terminal: a stream is not ended before it is known who holds it") {
  CoreFixture f{1};
  f.subscribe(100, "o");
  f.news(pty::ChildExit{{5, {}}});
  f.now.steady_us = *f.core->deadline_us();
  f.core->tick(f.now);
  CHECK(f.channel.holder_walks == 1);
  CHECK(f.channel.ended_streams == 0);
  SUBCASE("the walk tells") {
    f.core->on_holders({4321}, f.now);
    CHECK(f.channel.ended_streams == 1);
    f.news(pty::EndOfStream{true});
  }
  SUBCASE("but not for ever") {
    f.now.steady_us = *f.core->deadline_us();
    f.core->tick(f.now);
    CHECK(f.channel.ended_streams == 1);
    f.news(pty::EndOfStream{true});
    f.core->on_holders({4321}, f.now);
  }
  CHECK(f.channel.ended_streams == 1);
  const auto* const exited = std::get_if<protocol::event::Exited>(f.session->events.back().get());
  REQUIRE(exited != nullptr);
  CHECK(exited->held_by == std::vector<std::int32_t>{4321});
}

TEST_CASE("terminal: wait_exit times out in virtual time") {
  CoreFixture f;
  const RequestKey wait = f.ask(request::WaitExit{{77}, 500});
  f.advance_us(499'000);
  f.core->tick(f.now);
  CHECK(f.session->find<reply::Exit>(wait) == nullptr);
  f.advance_us(1'000);
  f.core->tick(f.now);
  REQUIRE(f.session->find<reply::Exit>(wait) != nullptr);
  CHECK(f.session->find<reply::Exit>(wait)->timed_out);
}

TEST_CASE("terminal: input that a program does not read is bounded") {
  CoreFixture f;
  std::size_t accepted = 0;
  for (;;) {
    const RequestKey key = f.ask(write_of(std::string(1024 * 1024, 'p')));
    if (f.session->find<reply::Error>(key) != nullptr) {
      CHECK(f.session->find<reply::Error>(key)->code == Code::busy);
      break;
    }
    ++accepted;
    REQUIRE(accepted < 10);
  }
  CHECK(accepted == 3);
  f.news(pty::Written{f.channel.ids.front(), 1024 * 1024, true});
  const RequestKey key = f.ask(write_of("more"));
  CHECK(f.session->find<reply::Ok>(key) != nullptr);
}

TEST_CASE("terminal: an acknowledged write answers when the program took it") {
  CoreFixture f;
  request::Write write = write_of("abc");
  write.ack = true;
  const RequestKey key = f.ask(write);
  CHECK(f.session->replies.empty());
  SUBCASE("taken") {
    f.news(pty::Written{f.channel.ids.back(), 3, true});
    CHECK(f.session->find<reply::Ok>(key)->written == 3U);
  }
  SUBCASE("the terminal ended first") {
    f.news(pty::Written{f.channel.ids.back(), 1, false});
    CHECK(f.session->find<reply::Error>(key)->code == Code::exited);
    CHECK(f.session->find<reply::Error>(key)->written == 1U);
  }
}

TEST_CASE("terminal: requests after the exit are harmless") {
  CoreFixture f;
  f.output("bye");
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{2, {}}});
  CHECK(f.session->find<reply::Ok>(f.ask(write_of("late"))) != nullptr);
  CHECK(f.channel.written.empty());
  request::Keys keys;
  keys.keys = {"a"};
  CHECK(f.session->find<reply::Error>(f.ask(keys))->code == Code::exited);
  CHECK(f.session->find<reply::Replay>(f.ask(request::Replay{}))->data == "bye");
}

TEST_CASE("terminal: a restart goes on under the same id with offsets") {
  CoreFixture f;
  CHECK(f.session->find<reply::Error>(f.ask(request::Restart{}))->code == Code::busy);
  f.output("one");
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{0, {}}});
  f.subscribe(100, "late");
  const RequestKey key = f.ask(request::Restart{});
  REQUIRE(f.channel.reopened.size() == 1);
  CHECK(std::get<pty::LaunchSpec>(f.channel.reopened[0]).extra.at("TROUPE_NONCE") == "n2");
  f.core->on_reopened(std::optional<int>{99}, f.now);
  CHECK(f.session->find<reply::Ok>(key) != nullptr);
  CHECK(f.board.restarts == 1);
  CHECK(f.board.info.pid == 99);
  f.output("two");
  CHECK(f.session->log.back() == "output 3 two");
}

TEST_CASE("terminal: what outlives the leader can be signalled and the leader can not") {
  CoreFixture f;
  const auto signal = [&](protocol::SignalTarget target) {
    request::Signal request;
    request.signal = 15;
    request.target = target;
    return f.ask(request);
  };
  f.news(pty::ChildExit{{0, {}}});
  const RequestKey session = signal(protocol::SignalTarget::session);
  (void)signal(protocol::SignalTarget::foreground);
  CHECK(f.channel.signals == std::vector<int>{15, 15});
  CHECK(f.session->find<reply::Error>(session) == nullptr);
  const RequestKey leader = signal(protocol::SignalTarget::leader);
  CHECK(f.session->find<reply::Error>(leader)->code == Code::exited);
  f.news(pty::EndOfStream{});
  const RequestKey late = signal(protocol::SignalTarget::session);
  CHECK(f.session->find<reply::Error>(late)->code == Code::exited);
  CHECK(f.channel.signals.size() == 2);
}

TEST_CASE("terminal: a terminate during a restart kills the child that comes") {
  CoreFixture f;
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{0, {}}});
  const RequestKey key = f.ask(request::Restart{});
  f.core->terminate(protocol::EndReason::terminated, f.now);
  CHECK(f.channel.terminations == 0);
  SUBCASE("it started") {
    f.core->on_reopened(std::optional<int>{99}, f.now);
    CHECK(f.channel.terminations == 1);
    f.core->on_terminated({}, f.now);
  }
  SUBCASE("it did not") {
    f.core->on_reopened(Error{Code::io, "no"}, f.now);
  }
  CHECK(f.core->gone());
  CHECK(f.board.gone == 1);
  CHECK(f.session->find<reply::Error>(key)->code == Code::exited);
}

TEST_CASE("terminal: a restart that a host does not answer delays no terminate") {
  CoreFixture f{{}, SshLaunch{}};
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{0, {}}});
  const RequestKey key = f.ask(request::Restart{});
  f.core->terminate(protocol::EndReason::terminated, f.now);
  CHECK(f.channel.terminations == 1);
  CHECK(f.session->find<reply::Error>(key)->code == Code::exited);
  f.core->on_terminated({}, f.now);
  CHECK(f.core->gone());
  f.core->on_reopened(std::optional<int>{}, f.now);
  CHECK(f.board.gone == 1);
}

TEST_CASE("terminal: a restart whose password is gone is refused and opens nothing") {
  SshLaunch launch;
  launch.options.password = "secret";
  CoreFixture f{{}, launch};
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{0, {}}});
  CHECK(f.session->find<reply::Error>(f.ask(request::Restart{}))->code == Code::unsupported);
  CHECK(f.channel.reopened.empty());
}

TEST_CASE("terminal: each of many that wait is cancelled by its key alone") {
  CoreFixture f;
  std::vector<RequestKey> keys;
  for (int i = 0; i < 60; ++i) {
    request::Wait text;
    text.id = {77};
    text.needle = "never";
    text.timeout_ms = 60'000;
    request::Write write = write_of("x");
    write.ack = true;
    keys.push_back(i % 3 == 0   ? f.ask(text)
                   : i % 3 == 1 ? f.ask(request::WaitExit{{77}, 500 + i})
                                : f.ask(write));
  }
  for (std::size_t i = 0; i < keys.size(); i += 2) {
    f.core->cancel(keys[i]);
    f.core->cancel(keys[i]);  // no longer there
  }
  f.core->terminate(protocol::EndReason::terminated, f.now);
  f.core->on_terminated({}, f.now);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK((f.session->find<reply::Error>(keys[i]) == nullptr) == (i % 2 == 0));
  }
  CHECK(f.session->replies.size() == keys.size() / 2);
}

TEST_CASE("terminal: what waits and what is kept is told to the board") {
  CoreFixture f;
  std::size_t const before = f.board.retained_bytes;
  CHECK(before > 0);
  f.ask(request::WaitExit{{77}, 60'000});
  CHECK(f.board.waits == 1);
  request::Wait text;
  text.id = {77};
  text.needle = "never";
  text.timeout_ms = 60'000;
  const RequestKey cancelled = f.ask(text);
  CHECK(f.board.waits == 2);
  f.core->cancel(cancelled);
  CHECK(f.board.waits == 1);
  f.output(std::string(64 * 1024, 'x'));
  CHECK(f.board.retained_bytes > before);
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{0, {}}});
  CHECK(f.board.waits == 0);
}

TEST_CASE("terminal: the foreground is looked at after something happened and somebody cares") {
  CoreFixture f;
  f.output("x");
  f.advance_us(LookSchedule::longest_us);
  f.core->tick(f.now);
  CHECK(f.channel.looks.empty());
  f.subscribe(100, "o");
  f.ask(write_of("ls"));
  REQUIRE(f.core->deadline_us());
  f.advance_us(LookSchedule::quiet_us);
  f.core->tick(f.now);
  CHECK(f.channel.looks == std::vector<int>{1234});
  f.advance_us(LookSchedule::longest_us);
  f.core->tick(f.now);
  CHECK_FALSE(f.core->deadline_us());
  CHECK(f.channel.looks.size() == 1);
}

TEST_CASE("terminal: the directory is the kernel's until the shell tells its own") {
  CoreFixture f;
  f.core->on_foreground("sh", "/proc/says", f.now);
  CHECK(f.board.info.shell_cwd == "/proc/says");
  CHECK(f.board.info.shell_cwd_source == CwdSource::proc);
  f.output("\x1b]7;file:///shell/says\x07");
  CHECK(f.board.info.shell_cwd == "/shell/says");
  CHECK(f.board.info.shell_cwd_source == CwdSource::osc7);
  f.core->on_foreground("sh", "/proc/later", f.now);
  CHECK(f.board.info.shell_cwd == "/shell/says");
}

TEST_CASE("terminal: terminate ends streams first and refuses what comes later") {
  CoreFixture f;
  f.subscribe(100, "o");
  const RequestKey wait = f.ask(request::WaitExit{{77}, 60'000});
  f.session->log.clear();
  f.core->terminate(protocol::EndReason::terminated, f.now);
  CHECK(f.session->log.front() == "ended terminated 0");
  CHECK(f.session->find<reply::Error>(wait) != nullptr);
  CHECK(f.channel.terminations == 1);
  CHECK(f.session->find<reply::Error>(f.ask(request::Snapshot{}))->code == Code::not_found);
  CHECK_FALSE(f.core->gone());
  f.core->on_terminated({pty::ExitStatus{{}, 1}, {}}, f.now);
  CHECK(f.core->gone());
  CHECK(f.board.gone == 1);
}

TEST_CASE("terminal: a subscriber's agent leaves with it") {
  CoreFixture f;
  request::Subscribe subscribe;
  subscribe.attachment_id = "a";
  subscribe.ssh_auth_sock = "/tmp/agent.1";
  f.ask(subscribe, {100, 0});
  CHECK(f.board.agents.at(100) == "/tmp/agent.1");
  f.core->detach(100, f.now);
  CHECK(f.board.agents.empty());
}

TEST_CASE("terminal: a second subscription of a connection replaces its first") {
  CoreFixture f;
  f.subscribe(100, "a");
  request::Subscribe again;
  again.attachment_id = "b";
  f.ask(again, {101, 100});
  CHECK(f.session->over == std::vector<SubscriberId>{100});
  CHECK(f.board.info.subscribers == 1);
}

TEST_CASE("terminal: a snapshot waits until a synchronized frame is whole") {
  CoreFixture f;
  f.output("old");
  f.advance_us(1'000'000);
  f.output("\x1b[?2026h\x1b[H\x1b[2Jhalf");
  const RequestKey early = f.ask(request::Snapshot{});
  const RequestKey rows = f.ask(request::ReadRows{});
  CHECK(f.session->find<reply::Snapshot>(early) == nullptr);
  f.advance_us(20'000);
  f.core->tick(f.now);
  CHECK(f.session->find<reply::Snapshot>(early) == nullptr);
  f.output(" whole\x1b[?2026l");
  REQUIRE(f.session->find<reply::Snapshot>(early) != nullptr);
  CHECK(f.session->find<reply::Snapshot>(early)->text == "half whole");
  REQUIRE(f.session->find<reply::Rows>(rows) != nullptr);
  CHECK(f.session->find<reply::Rows>(rows)->lines.front() == "half whole");
}

TEST_CASE("terminal: a snapshot does not wait for ever for a frame or a rest") {
  CoreFixture f;
  f.output("\x1b[?2026hnever ended");
  const RequestKey frame = f.ask(request::Snapshot{});
  REQUIRE(f.core->deadline_us());
  f.now.steady_us = *f.core->deadline_us();
  f.core->tick(f.now);
  CHECK(f.session->find<reply::Snapshot>(frame) != nullptr);
  f.output("\x1b[?2026l");
  f.output("a");
  const RequestKey rest = f.ask(request::Snapshot{});
  int outputs = 0;
  for (; outputs < 100 && f.session->find<reply::Snapshot>(rest) == nullptr; ++outputs) {
    f.advance_us(500);
    f.output("b");
  }
  CHECK(outputs == FrameWatch::longest_rest_us / 500);
}

TEST_CASE("terminal: a resize and the end answer who asked for the screen before") {
  CoreFixture f;
  f.output("\x1b[?2026hframe");
  const RequestKey before = f.ask(request::Snapshot{});
  request::Resize resize;
  resize.cols = 33;
  resize.rows = 11;
  f.ask(resize);
  REQUIRE(f.session->find<reply::Snapshot>(before) != nullptr);
  CHECK(f.session->find<reply::Snapshot>(before)->terminal.cols == 80);
  const RequestKey last = f.ask(request::Snapshot{});
  const RequestKey cancelled = f.ask(request::Snapshot{});
  CHECK(f.session->find<reply::Snapshot>(last) == nullptr);
  f.core->cancel(cancelled);
  f.core->terminate(protocol::EndReason::terminated, f.now);
  CHECK(f.session->find<reply::Snapshot>(last) != nullptr);
  CHECK(f.session->find<reply::Snapshot>(cancelled) == nullptr);
}

TEST_CASE(
    "terminal: the end of the output answers who waits for a frame, with all of it shown") {
  CoreFixture f;
  f.output("\x1b[?2026hhalf");
  const RequestKey waits = f.ask(request::Snapshot{});
  CHECK(f.session->find<reply::Snapshot>(waits) == nullptr);
  f.news(pty::EndOfStream{});
  REQUIRE(f.session->find<reply::Snapshot>(waits) != nullptr);
  CHECK(f.session->find<reply::Snapshot>(waits)->text == "half");
  const RequestKey later = f.ask(request::Snapshot{});
  CHECK(f.session->find<reply::Snapshot>(later) != nullptr);
}
