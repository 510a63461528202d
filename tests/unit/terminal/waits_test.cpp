// SPDX-License-Identifier: MIT
#include "terminal/waits.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/facts_fixture.hpp"

using namespace troupe;
using namespace troupe::terminal;
using troupe::test::FactsFixture;

namespace {

std::string mark(const std::string& body) {
  return "\x1b]133;" + body + "\x07";
}

TextWaitSpec needle(const std::string& text, CursorSpec cursor = CursorNow{}) {
  TextWaitSpec spec;
  spec.cursor = cursor;
  spec.needle = text;
  spec.timeout_ms = 60'000;
  return spec;
}

TextWaitSpec regex(const std::string& text, CursorSpec cursor = CursorNow{}) {
  TextWaitSpec spec = needle("", cursor);
  spec.needle.reset();
  spec.regex = text;
  return spec;
}

TextWaitSpec unconditional(CursorSpec cursor = CursorNow{}) {
  TextWaitSpec spec = needle("", cursor);
  spec.needle.reset();
  return spec;
}

}  // namespace

TEST_CASE("waits: a needle in a finished line is seen though the chunk erases it at once") {
  FactsFixture t;
  t.wait(needle("ready"));
  t.feed("not ready\r\n\x1b[2J\x1b[Hclean");
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].matched);
  CHECK(done[0].slice.text == "not ready");
  CHECK(done[0].slice.next == Cursor{0, 9, 0});
}

TEST_CASE("waits: a match ends the text and the next wait goes on behind it in the row") {
  FactsFixture t;
  t.feed("a needle and a needle here");
  t.wait(needle("needle", CursorOldest{}));
  auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].slice.next == Cursor{0, 8, 0});
  const Cursor first = done[0].slice.next;
  t.wait(needle("needle", CursorAt{first.seq, first.col, first.epoch}));
  done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].slice.text == " and a needle");
  CHECK(done[0].slice.next == Cursor{0, 21, 0});
}

TEST_CASE("waits: a match that fills its row ends at the row's width") {
  FactsFixture t(10, 4);
  t.wait(needle("6789"));
  t.feed("0123456789abc");
  CHECK(t.take<TextWaitDone>().at(0).slice.next == Cursor{0, 10, 0});
}

TEST_CASE("waits: a needle spans soft wraps and hard breaks in whatever chunks they come") {
  const std::string stream = "xxxxhello wor\r\nld end";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FactsFixture t(7, 6);
    t.wait(needle("hello wor\nld"));
    t.feed(stream.substr(0, cut));
    t.feed(stream.substr(cut));
    const auto done = t.take<TextWaitDone>();
    REQUIRE(done.size() == 1);
    CHECK(done[0].slice.text == "xxxxhello wor\nld");
    CHECK(done[0].slice.next == Cursor{2, 2, 0});
  }
}

TEST_CASE("waits: an expression is tried for each line and its anchor is the line's start") {
  FactsFixture t;
  t.feed("prefix ");
  t.wait(regex("^world"));
  t.feed("world\r\n");
  CHECK(t.take<TextWaitDone>().empty());
  t.feed("world");
  CHECK(t.take<TextWaitDone>().at(0).reason == WaitReason::regex);
  t.wait(regex("prefix wor", CursorAt{0, 3, {}}));
  CHECK(t.take<TextWaitDone>().empty());
  t.wait(regex("a\nb"));
  t.feed("a\r\nb");
  CHECK(t.take<TextWaitDone>().empty());
}

TEST_CASE("waits: both conditions may be given and the first to end answers") {
  FactsFixture t;
  TextWaitSpec spec = needle("never");
  spec.regex = "[0-9]+%";
  t.wait(spec);
  t.feed("50%");
  CHECK(t.take<TextWaitDone>().at(0).reason == WaitReason::regex);
}

TEST_CASE("waits: a progress line that is rewritten in place is seen each time") {
  FactsFixture t;
  t.wait(needle("100%"));
  for (int i = 10; i <= 100; i += 10) {
    CHECK(t.take<TextWaitDone>().empty());
    t.feed("\rdone " + std::to_string(i) + "%");
  }
  CHECK(t.take<TextWaitDone>().size() == 1);
}

TEST_CASE("waits: rows that a program goes back to are seen when it leaves them") {
  FactsFixture t;
  t.wait(needle("ready"));
  t.feed("one: starting\r\ntwo: starting\r\n");
  t.feed("\x1b[2Aone: ready   \r\ntwo: starting\r\n");
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].slice.next == Cursor{0, 10, 0});
}

TEST_CASE("waits: what stood there before the cursor of the wait does not answer it") {
  FactsFixture t;
  t.feed("ready\r\nmore ready");
  t.wait(needle("ready"));
  t.feed("\x1b[1A\r");
  t.feed("\x1b[1B\x1b[11G");
  CHECK(t.take<TextWaitDone>().empty());
  t.feed(" ready");
  CHECK(t.take<TextWaitDone>().size() == 1);
}

TEST_CASE("waits: the search goes further than the reply") {
  FactsFixture t;
  TextWaitSpec spec = needle("needle");
  spec.max_bytes = 12;
  t.wait(spec);
  t.feed("0123456789\r\n0123456789\r\n0123456789\r\nneedle\r\n");
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].slice.truncated);
  CHECK(done[0].slice.text == "0123456789\n");
  CHECK(done[0].slice.next == Cursor{3, 6, 0});
}

TEST_CASE("waits: patterns out of bounds are refused by kind") {
  FactsFixture t;
  const auto refused = [&](const TextWaitSpec& spec) {
    return t.facts.arm_text_wait(spec, t.now, t.effects).error().code;
  };
  CHECK(refused(needle("")) == Code::bad_request);
  CHECK(refused(needle(std::string(4097, 'x'))) == Code::too_large);
  CHECK(refused(regex("(")) == Code::bad_request);
  CHECK(refused(regex("")) == Code::bad_request);
  CHECK(refused(regex(".{1000}")) == Code::bad_request);  // a program that would take ages to run
  CHECK(refused(regex("((a{1000}){1000}){1000}")) == Code::bad_request);
  CHECK(refused(needle("x", CursorAt{0, 0, 7})) == Code::bad_request);
  TextWaitSpec negative = needle("x");
  negative.timeout_ms = -1;
  CHECK(refused(negative) == Code::bad_request);
  CHECK(t.facts.pending_waits() == 0);
  CHECK(t.facts.arm_text_wait(needle(std::string(4096, 'x')), t.now, t.effects).ok());
}

TEST_CASE("waits: idle counts from the arming and from the last output") {
  FactsFixture t;
  t.now.steady_ms = 1000;
  TextWaitSpec spec = unconditional();
  spec.idle_ms = 500;
  t.wait(spec);
  CHECK(t.facts.next_deadline() == 1500);
  t.now.steady_ms = 1400;
  t.feed("x");
  CHECK(t.facts.next_deadline() == 1900);
  t.now.steady_ms = 1899;
  t.facts.expire(t.now, t.effects);
  CHECK(t.take<TextWaitDone>().empty());
  t.now.steady_ms = 1900;
  t.facts.expire(t.now, t.effects);
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].reason == WaitReason::idle);
  CHECK(done[0].matched);
  CHECK(done[0].slice.text == "x");
  CHECK_FALSE(t.facts.next_deadline());
}

TEST_CASE("waits: a timeout gives what arrived") {
  FactsFixture t;
  TextWaitSpec spec = needle("never");
  spec.timeout_ms = 100;
  t.wait(spec);
  t.feed("some text\r\n");
  t.now.steady_ms = 100;
  t.facts.expire(t.now, t.effects);
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].reason == WaitReason::timeout);
  CHECK_FALSE(done[0].matched);
  CHECK(done[0].slice.text == "some text\n");
  CHECK(done[0].slice.next == Cursor{1, 0, 0});
}

TEST_CASE("waits: a timeout of nothing answers at once and a huge one is cut to a day") {
  FactsFixture t;
  TextWaitSpec spec = needle("never");
  spec.timeout_ms = 0;
  t.wait(spec);
  CHECK(t.take<TextWaitDone>().at(0).reason == WaitReason::timeout);
  spec.timeout_ms = std::numeric_limits<std::int64_t>::max();
  t.now.steady_ms = 5;
  t.wait(spec);
  CHECK(t.facts.next_deadline() == 5 + 24LL * 60 * 60 * 1000);
}

TEST_CASE("waits: any output answers a wait without a condition") {
  FactsFixture t;
  t.feed("old");
  t.wait(unconditional());
  CHECK(t.take<TextWaitDone>().empty());
  t.feed("\rnew");
  CHECK(t.take<TextWaitDone>().at(0).reason == WaitReason::output);
  t.wait(unconditional(CursorOldest{}));
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].reason == WaitReason::output);
  CHECK(done[0].slice.text == "new");
}

TEST_CASE("waits: the exit answers each wait and whether it was asked for") {
  FactsFixture t;
  t.wait(needle("never"));
  TextWaitSpec spec = unconditional();
  spec.exit = true;
  t.wait(spec);
  t.feed("bye");
  CHECK(t.take<TextWaitDone>().empty());
  t.exit();
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 2);
  CHECK_FALSE(done[0].matched);
  CHECK(done[1].matched);
  CHECK(done[1].reason == WaitReason::exit);
  CHECK(done[1].slice.text == "bye");
}

TEST_CASE("waits: on an exited terminal every wait answers at once") {
  FactsFixture t;
  t.feed("the end");
  t.exit();
  t.wait(needle("end", CursorOldest{}));
  t.wait(needle("never", CursorOldest{}));
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 2);
  CHECK(done[0].reason == WaitReason::needle);
  CHECK(done[1].reason == WaitReason::exit);
  CHECK_FALSE(done[1].matched);
  CHECK(t.facts.arm_journal_wait(CommandLatest{}, 60'000, t.now, t.effects).ok());
  CHECK(t.take<JournalWaitDone>().at(0).record.error().code == Code::not_found);
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).error().code == Code::exited);
}

TEST_CASE("waits: a width change neither loses nor repeats what was read") {
  FactsFixture t(20, 8);
  t.feed("0123456789 needle 012345");
  t.wait(needle("needle"));
  t.wait(needle("wide text here"));
  t.wait(regex("^0.*wide"));
  t.feed("6789 wide te");
  t.resize_width(7);
  CHECK(t.take<TextWaitDone>().empty());
  t.feed("xt here");
  const auto done = t.take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].slice.text == "6789 wide text here");
  CHECK(done[0].slice.next.epoch == 1);
  CHECK(t.facts.pending_waits() == 2);
}

TEST_CASE("waits: a cancelled wait is gone") {
  FactsFixture t;
  const WaitId wait = t.wait(needle("x"));
  t.facts.cancel_wait(wait);
  CHECK(t.facts.pending_waits() == 0);
  CHECK_FALSE(t.facts.wants_lines());
  t.feed("x");
  CHECK(t.effects.empty());
}

TEST_CASE("waits: their number has a limit") {
  FactsFixture t;
  for (std::size_t i = 0; i < max_pending_waits; ++i) {
    REQUIRE(t.facts.arm_journal_wait(CommandNext{}, 1000, t.now, t.effects).ok());
  }
  CHECK(t.facts.arm_journal_wait(CommandNext{}, 1000, t.now, t.effects).error().code ==
        Code::limit);
}

TEST_CASE("waits: answers of one event do not multiply the terminal's text") {
  FactsFixture t(200, 24);
  std::string lines;
  for (int i = 0; i < 9000; ++i) {
    lines += std::string(190, 'x') + "\r\n";
  }
  t.feed(lines);
  TextWaitSpec spec = unconditional(CursorOldest{});
  spec.exit = true;
  for (int i = 0; i < 200; ++i) {
    t.wait(spec);
  }
  t.exit();
  std::size_t bytes = 0;
  const auto done = t.take<TextWaitDone>();
  for (const TextWaitDone& answer : done) {
    bytes += answer.slice.text.size();
    CHECK(answer.slice.truncated);
  }
  CHECK(done.size() == 200);
  CHECK(bytes <= max_event_answer_bytes + 200 * min_answer_bytes + (1U << 20));
}

// -- commands ------------------------------------------------------------------------------------

// T-27
TEST_CASE("waits: a command that starts and ends in one chunk is not missed") {
  FactsFixture t;
  REQUIRE(t.facts.arm_journal_wait(CommandLatest{}, 1000, t.now, t.effects).ok());
  REQUIRE(t.facts.arm_journal_wait(CommandNext{}, 1000, t.now, t.effects).ok());
  REQUIRE(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
  t.feed(mark("A") + "$ " + mark("B") + "a\r\n" + mark("C") + "first\r\n" + mark("D;1") +
         mark("A") + "$ " + mark("B") + "b\r\n" + mark("C") + "second\r\n" + mark("D;2"));
  for (const JournalWaitDone& done : t.take<JournalWaitDone>()) {
    CHECK(done.record->index == 0);
    CHECK(done.record->exit_code == 1);
  }
  const auto run = t.take<RunDone>();
  REQUIRE(run.size() == 1);
  CHECK(run[0].record->exit_code == 1);
  CHECK(run[0].slice.text == "first\n");
  CHECK(t.facts.pending_waits() == 0);
}

TEST_CASE("waits: next is the command after the running one") {
  FactsFixture t;
  t.feed(mark("C"));
  REQUIRE(t.facts.arm_journal_wait(CommandNext{}, 1000, t.now, t.effects).ok());
  t.feed(mark("D;1"));
  CHECK(t.take<JournalWaitDone>().empty());
  t.feed("\r\n" + mark("C") + "x" + mark("D;2"));
  CHECK(t.take<JournalWaitDone>().at(0).record->index == 1);
}

TEST_CASE("waits: run is busy while a command runs or one was typed and has not begun") {
  FactsFixture t;
  t.feed(mark("C"));
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).error().code == Code::busy);
  t.feed("x" + mark("D;0"));
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).error().code == Code::busy);
}

TEST_CASE("waits: run that is busy names the command that runs, on one short line") {
  FactsFixture t;
  const auto message = [&t] { return t.facts.arm_run(1000, 0, t.now, t.effects).error().message; };
  t.feed(mark("C"));
  CHECK(message() == "a command is running");
  t.feed(mark("D;0") + mark("A") + "$ " + mark("B") + "exec fish\r\n" + mark("C"));
  CHECK(message() == "a command is running: exec fish");
  t.feed(mark("D;0") + mark("A") + "\x1b]633;E;a\\x0a\\x1bb" + std::string(99, 'c') + "\a" +
         mark("C"));
  CHECK(message() == "a command is running: a  b" + std::string(96, 'c') + "…");
}

// T-33
TEST_CASE("waits: run is answered at once where its text leaves the shell waiting for the rest") {
  FactsFixture t;
  const std::string prompt = mark("A") + "$ " + mark("B");
  t.feed(prompt);
  REQUIRE(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
  t.feed("echo 'a\r\n" + mark("P;k=s") + "> ");
  auto done = t.take<RunDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].error.value().code == Code::bad_request);
  CHECK(done[0].error->message.find("ctrl+c") != std::string::npos);
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).error().code == Code::busy);
  t.feed("^C\r\n" + prompt);
  REQUIRE(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
  t.feed(mark("C") + "fine\r\n" + mark("D;0"));
  done = t.take<RunDone>();
  REQUIRE(done.size() == 1);
  CHECK_FALSE(done[0].error);
  CHECK(done[0].slice.text == "fine\n");
}

TEST_CASE("waits: the rest of a command disturbs nobody else") {
  FactsFixture t;
  const std::string rest = mark("P;k=s") + "> ";
  t.feed(mark("A") + "$ " + mark("B"));
  REQUIRE(t.facts.arm_journal_wait(CommandNext{}, 1000, t.now, t.effects).ok());
  REQUIRE(t.facts.arm_run(1000, 0, t.now, t.effects, Typed::by_lines).ok());
  t.feed("cat <<X\r\n" + rest + "a\r\n" + rest + "X\r\n" + mark("C") + "a\r\n");
  CHECK(t.take<RunDone>().empty());
  t.feed(rest);  // of a shell within the command
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).error().message ==
        "a command is running: cat <<X > a > X");
  t.feed(mark("D;0"));
  CHECK(t.facts.journal(0, 0, false).value().records.at(0).command == "cat <<X\n> a\n> X");
  CHECK(t.take<RunDone>().size() == 1);
  t.feed(rest);  // printed where no command line is read
  CHECK(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
}

TEST_CASE("waits: run that times out tells the running record or none") {
  FactsFixture t;
  REQUIRE(t.facts.arm_run(100, 0, t.now, t.effects).ok());
  t.now.steady_ms = 100;
  t.facts.expire(t.now, t.effects);
  auto done = t.take<RunDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].timed_out);
  CHECK_FALSE(done[0].record);
  REQUIRE(t.facts.arm_run(100, 0, t.now, t.effects).ok());
  t.feed(mark("C") + "partial");
  t.now.steady_ms = 200;
  t.facts.expire(t.now, t.effects);
  done = t.take<RunDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].timed_out);
  CHECK(done[0].record->running);
  CHECK(done[0].slice.text == "partial");
}

TEST_CASE("waits: a command that ends the terminal is answered with its record") {
  FactsFixture t;
  REQUIRE(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
  t.feed(mark("C") + "logout\r\n");
  t.exit();
  const auto done = t.take<RunDone>();
  REQUIRE(done.size() == 1);
  CHECK_FALSE(done[0].timed_out);
  CHECK(done[0].record->pty_exited);
  CHECK(done[0].record->incomplete);
  CHECK(done[0].slice.text == "logout\n");
}

TEST_CASE("waits: run is answered after the command's end is told") {
  FactsFixture t;
  REQUIRE(t.facts.arm_run(1000, 0, t.now, t.effects).ok());
  t.feed(mark("C") + "x" + mark("D;0"));
  REQUIRE(t.effects.size() == 3);
  CHECK(std::holds_alternative<CommandStarted>(t.effects[0].what));
  CHECK(std::holds_alternative<CommandFinished>(t.effects[1].what));
  CHECK(std::holds_alternative<RunDone>(t.effects[2].what));
  CHECK(t.effects[0].offset == mark("C").size());
  CHECK(t.effects[1].offset == t.tail);
}

// -- against a naive rescan ----------------------------------------------------------------------

namespace {

/// What reading everything again after each chunk would say. Streams here only append.
bool naive_needle(const FactsFixture& t, const std::string& text) {
  return t.facts.since(CursorOldest{}, 0)->text.find(text) != std::string::npos;
}

bool naive_regex(const FactsFixture& t, const std::string& text) {
  const std::string all = t.facts.since(CursorOldest{}, 0)->text;
  const auto expression = Pattern::compile(text, Syntax::regex, Case::sensitive);
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    if (expression->find(all.substr(begin, end - begin))) {
      return true;
    }
    if (end == all.size()) {
      return false;
    }
    begin = end + 1;
  }
}

}  // namespace

// T-28
TEST_CASE("waits: on streams that append a wait answers exactly when a rescan would") {
  std::mt19937 random(17);
  const std::vector<std::string> pieces = {"a", "b", "ab", "\r\n", " ", "aba", "\xE4\xB8\xAD"};
  const std::vector<std::string> needles = {"abab",
                                            "b\na",
                                            "a\n\nb",
                                            "aab b",
                                            "\xE4\xB8\xAD"
                                            "a",
                                            "abaabab"};
  const std::vector<std::string> regexes = {"^ab+a$", "a.a.a", "b{2}a", "^b.*\xE4\xB8\xAD",
                                            "(ab){3}"};
  for (int round = 0; round < 600; ++round) {
    FactsFixture t(static_cast<std::uint16_t>(2 + random() % 9), 3);
    const bool literal = random() % 2 == 0;
    const std::string pattern =
        literal ? needles[random() % needles.size()] : regexes[random() % regexes.size()];
    t.wait(literal ? needle(pattern, CursorOldest{}) : regex(pattern, CursorOldest{}));
    CAPTURE(pattern);
    for (int step = 0; step < 40; ++step) {
      std::string chunk;
      for (std::size_t i = random() % 4; i < 4; ++i) {
        chunk += pieces[random() % pieces.size()];
      }
      // Trailing blanks of a row vanish when it ends: a rescan and a look could differ there.
      for (std::size_t i = chunk.find(" \r"); i != std::string::npos; i = chunk.find(" \r")) {
        chunk.erase(i, 1);
      }
      if (!chunk.empty() && chunk.back() == ' ') {
        chunk += 'a';
      }
      t.feed(chunk);
      const bool expected = literal ? naive_needle(t, pattern) : naive_regex(t, pattern);
      const auto done = t.take<TextWaitDone>();
      REQUIRE(done.empty() == !expected);
      if (expected) {
        const std::string text = done[0].slice.text;
        if (literal) {
          REQUIRE(text.size() >= pattern.size());
          REQUIRE(text.substr(text.size() - pattern.size()) == pattern);
          REQUIRE(text.find(pattern) == text.size() - pattern.size());
        }
        const Cursor next = done[0].slice.next;
        const std::string rest = t.facts.since(CursorAt{next.seq, next.col, next.epoch}, 0)->text;
        REQUIRE(text + rest == t.facts.since(CursorOldest{}, 0)->text);
        break;
      }
    }
  }
}
