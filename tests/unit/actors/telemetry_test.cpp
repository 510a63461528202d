// SPDX-License-Identifier: MIT

/// @file
/// What terminals and the registry report of their work.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "actors/telemetry_words.hpp"
#include "recorders.hpp"
#include "registry_fixture.hpp"

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::actors::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
using Log = std::vector<std::string>;

namespace {

std::string word(const char* what, std::initializer_list<int> numbers) {
  std::string text = what;
  for (const int n : numbers) {
    text += " " + std::to_string(n);
  }
  return text;
}
template <class A>
std::string word(const char* what, A a) {
  return word(what, {static_cast<int>(a)});
}
template <class A, class B>
std::string word(const char* what, A a, B b) {
  return word(what, {static_cast<int>(a), static_cast<int>(b)});
}

request::Write acked_write(std::string data) {
  request::Write r = write_of(std::move(data));
  r.ack = true;
  return r;
}

request::Wait wait_for(const std::string& needle, std::int64_t timeout_ms) {
  request::Wait r;
  r.needle = needle;
  r.timeout_ms = timeout_ms;
  return r;
}

using telemetry::CloseCause;
using telemetry::Connector;
using telemetry::ProgramEnd;
using telemetry::SpanName;
using telemetry::SubscriptionEnd;
using telemetry::WaitEnd;
using telemetry::WaitKind;

}  // namespace

TEST_CASE("telemetry: bytes count when they come and answers to queries are input too") {  // TM-12
  CoreFixture f;
  f.output("hello\x1b[6n");
  CHECK(f.telemetry.output_bytes == 9);
  CHECK(f.telemetry.input_bytes == f.channel.written.size());
  f.ask(write_of("abc"));
  CHECK(f.telemetry.input_bytes == f.channel.written.size());
  CHECK(f.channel.written.size() > 3);
}

TEST_CASE("telemetry: refused input counts as none and its span says why") {  // TM-8
  CoreFixture f;
  f.subscribe(100, "c", protocol::Role::controller);
  request::Write other = write_of("abc");
  other.attachment_id = "somebody else";
  f.ask(other);
  CHECK(f.telemetry.input_bytes == 0);
  REQUIRE(f.telemetry.spans.size() == 1);
  CHECK(f.telemetry.spans[0].error == "not_controller");
}

TEST_CASE(
    "telemetry: a span of input lasts until the program took it where that is known") {  // TM-8
  CoreFixture f;
  f.ask(acked_write("secret"));
  CHECK(f.telemetry.spans.empty());
  f.advance_us(2500);
  f.news(pty::Written{f.channel.ids.back(), 6, true});
  REQUIRE(f.telemetry.spans.size() == 1);
  const telemetry::Span& span = f.telemetry.spans[0];
  CHECK(span.name == SpanName::send_input);
  CHECK(span.terminal.value == 77);
  CHECK(span.start_ns == 1'700'000'000'000'000'000);
  CHECK(span.end_ns - span.start_ns == 2'500'000);
  CHECK(span.error.empty());
}

TEST_CASE(
    "telemetry: input that a terminated program never took is a span with an error") {  // TM-8
  CoreFixture f;
  f.ask(acked_write("secret"));
  f.core->terminate(protocol::EndReason::terminated, f.now);
  f.core->on_terminated({pty::ExitStatus{{}, 9}, {}}, f.now);
  REQUIRE(f.telemetry.spans.size() == 1);
  CHECK(f.telemetry.spans[0].error == "exited");
}

TEST_CASE("telemetry: looking at a terminal is no span and without a taker none is made") {  // TM-1
  CoreFixture f;
  f.ask(request::Snapshot{});
  CHECK(f.telemetry.spans.empty());
  f.telemetry.spans_wanted = false;
  f.ask(write_of("x"));
  CHECK(f.telemetry.spans.empty());
}

TEST_CASE("telemetry: waits are told apart by kind and by how they ended") {
  CoreFixture f;
  f.ask(wait_for("needle", 1000));
  f.output("a needle");
  f.ask(wait_for("never", 1000));
  f.advance_us(1'100'000);
  f.core->tick(f.now);
  f.core->cancel(f.ask(wait_for("nor this", 60'000)));
  request::WaitExit exit;
  exit.timeout_ms = 60'000;
  f.ask(exit);
  f.ask(wait_for("not even", 60'000));
  f.core->terminate(protocol::EndReason::terminated, f.now);
  CHECK(f.telemetry.log == Log{word("wait_ended", WaitKind::text, WaitEnd::met),
                               word("wait_ended", WaitKind::text, WaitEnd::timed_out),
                               word("wait_ended", WaitKind::text, WaitEnd::cancelled),
                               word("wait_ended", WaitKind::text, WaitEnd::failed),
                               word("wait_ended", WaitKind::exit, WaitEnd::failed)});
}

TEST_CASE("telemetry: a program ends once however its terminal goes") {  // TM-12
  CoreFixture f;
  f.subscribe(100, "o");
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{{}, 9}});
  f.core->terminate(protocol::EndReason::terminated, f.now);
  f.core->on_terminated({pty::ExitStatus{{}, 9}, {}}, f.now);
  CHECK(f.telemetry.log == Log{word("program_ended", Connector::pty, ProgramEnd::signalled),
                               word("subscription_ended", SubscriptionEnd::exited)});

  CoreFixture killed;
  killed.core->terminate(protocol::EndReason::shutdown, killed.now);
  killed.core->on_terminated({pty::ExitStatus{0, {}}, {}}, killed.now);
  CHECK(killed.telemetry.log == Log{word("program_ended", Connector::pty, ProgramEnd::exited)});
}

TEST_CASE("telemetry: a recording tells once at its end what it left out and whether it failed") {
  CoreFixture f;
  request::Record record;
  record.recording.emplace().target.emplace();
  f.ask(record);
  f.core->on_recorder(recording::Opened{"x"}, f.now);
  f.core->on_recorder(recording::Closed{"x", 3, 100, true, 7}, f.now);
  f.ask(record);
  f.core->on_recorder(recording::Failed{Error{Code::io, "full"}, 3, 5}, f.now);
  CHECK(f.telemetry.log == Log{"recording_ended 7", "recording_failed 5"});
}

TEST_CASE("telemetry: lag is what sockets have not taken and a lagging subscriber is told") {
  CoreFixture f;
  f.subscribe(100, "o");
  const std::size_t attached = f.board.lag_bytes;
  f.output(std::string(10'000, 'x'));
  f.advance_us(50'000);
  f.core->tick(f.now);
  CHECK(f.board.lag_bytes >= attached + 10'000);
  CHECK(f.board.worst_lag_bytes == f.board.lag_bytes);
  f.drain(100);
  CHECK(f.board.lag_bytes == attached);
  while (f.telemetry.log.empty() && f.telemetry.output_bytes < SubscriberSet::observer_limit * 2) {
    f.output(std::string(60'000, 'x'));
    f.advance_us(50'000);
    f.core->tick(f.now);
  }
  CHECK(f.telemetry.log == Log{word("subscription_ended", SubscriptionEnd::lagging)});
  CHECK(f.board.lag_bytes == 0);
}

TEST_CASE("telemetry: a terminal is launched and closed once by every path") {  // TM-12
  RegistryFixture f;
  const TerminalId asked = f.run_one();
  f.core.request({f.session, 2}, 1, FromOwner::no, request::Terminate{asked, false}, f.now);
  f.core.on_gone(asked, {}, f.now);
  f.core.on_gone(asked, {}, f.now);
  const TerminalId evicted = f.run_one();
  f.core.on_exited(evicted, 0, f.now);
  f.core.on_gone(evicted, {}, f.now);
  const TerminalId lost = f.run_one();
  f.core.on_lost(lost, f.now);
  const TerminalId last = f.run_one();
  f.core.stop(f.now);
  f.core.on_gone(last, {}, f.now);
  const std::string launched = word("launched", Connector::pty);
  CHECK(f.telemetry.log == Log{launched, word("closed", Connector::pty, CloseCause::terminated),
                               launched, word("closed", Connector::pty, CloseCause::evicted),
                               launched, word("closed", Connector::pty, CloseCause::failed),
                               launched, word("closed", Connector::pty, CloseCause::shutdown)});
}

TEST_CASE("telemetry: launch and close are spans from the request to its answer") {  // TM-8
  RegistryFixture f;
  f.create();
  f.advance_ms(20);
  f.core.on_opened(f.channels, std::optional<int>{7}, f.now);
  f.core.request({f.session, 2}, 1, FromOwner::no, request::Terminate{f.last, false}, f.now);
  f.advance_ms(30);
  f.core.on_gone(f.last, {}, f.now);
  f.create();
  f.core.on_opened(f.channels, Error{Code::not_found, "no /home/me/secret"}, f.now);
  const auto& spans = f.telemetry.spans;
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].name == SpanName::launch);
  CHECK(spans[0].end_ns - spans[0].start_ns == 20'000'000);
  CHECK(spans[1].name == SpanName::close);
  CHECK(spans[1].terminal == f.last);
  CHECK(spans[1].end_ns - spans[1].start_ns == 30'000'000);
  CHECK(spans[2].error == "not_found");  // the code; the message may tell too much
  CHECK(f.telemetry.log.back() == word("launch_failed", Connector::pty));
}

TEST_CASE("telemetry: a wall clock that steps back does not turn a span around") {
  const telemetry::Span span = span_between({}, {1000, 5'000}, {10, 6'000}, {});
  CHECK(span.start_ns == 1'000'000'000);
  CHECK(span.end_ns == 1'001'000'000);
}
