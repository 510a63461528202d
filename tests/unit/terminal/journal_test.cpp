// SPDX-License-Identifier: MIT
#include "terminal/journal.hpp"

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

std::string mark633(const std::string& body) {
  return "\x1b]633;" + body + "\x1b\\";
}

/// A prompt, a command line and its output.
std::string cycle(const std::string& command, const std::string& output, int status) {
  return mark("A") + "$ " + mark("B") + command + "\r\n" + mark("C") + output +
         mark("D;" + std::to_string(status));
}

TerminalOptions with_nonce(const std::string& nonce) {
  TerminalOptions options;
  options.nonce = nonce;
  return options;
}

std::string describe(const CommandRecord& r) {
  const auto place = [](const Cursor& c) {
    return std::to_string(c.seq) + ":" + std::to_string(c.col);
  };
  return std::to_string(r.index) + "|" + r.command.value_or("-") + "|" +
         (r.exit_code ? std::to_string(*r.exit_code) : "-") + "|" + place(r.start) + "-" +
         place(r.end) + "|" + std::to_string(r.start_offset) + "-" + std::to_string(r.end_offset) +
         (r.running ? "R" : "") + (r.incomplete ? "I" : "") + (r.trusted ? "T" : "") + "|" +
         r.cwd.value_or("-");
}

std::vector<std::string> describe(const std::vector<CommandRecord>& records) {
  std::vector<std::string> lines;
  for (const CommandRecord& record : records) {
    lines.push_back(describe(record));
  }
  return lines;
}

}  // namespace

// T-21
TEST_CASE("journal: a doubled integration gives one record for each command") {
  FactsFixture t;
  for (int i = 0; i < 3; ++i) {
    t.feed(mark("D;0") + mark("D;9") + mark("A") + mark("A;cl=m") + "$ " + mark("B") + mark("B") +
           "ls\r\n" + mark("C") + mark("C;cmdline_url=ls%20-l") + "file\r\n");
  }
  t.feed(mark("D;3") + mark("D;4"));
  const auto records = t.records();
  REQUIRE(records.size() == 3);
  CHECK(records[0].exit_code == 0);
  CHECK(records[2].exit_code == 3);
  CHECK(records[1].command == "ls -l");
  CHECK(t.take<CommandStarted>().size() == 3);
  CHECK(t.take<CommandFinished>().size() == 3);
}

TEST_CASE("journal: two commands without output at one place are two when text came between") {
  FactsFixture t;
  t.feed(mark("C") + "x\b" + mark("C") + mark("D;0"));
  CHECK(t.records().size() == 2);
}

TEST_CASE("journal: a mark that means nothing here does not hide text printed before it") {
  FactsFixture t;
  t.feed(mark("C") + "x\b" + mark("P;k=i") + mark("C") + mark("D;0"));
  CHECK(t.records().size() == 2);
}

TEST_CASE("journal: the second dialect of one shell is not heard") {
  FactsFixture t;
  t.feed(mark633("A") + "$ " + mark633("B") + "ls\r\n" + mark633("C") + mark("C") + "out\r\n" +
         mark("D;1") + mark633("D;0"));
  const auto records = t.records();
  REQUIRE(records.size() == 1);
  CHECK(records[0].exit_code == 0);
}

TEST_CASE("journal: offsets name the bytes of the output exactly") {
  FactsFixture t;
  const std::string head = mark("A") + "$ " + mark("B") + "ls\r\n" + mark("C");
  t.feed(head + "a\r\nb\r\n" + mark633("E;x") + mark("D;0"));
  const auto record = t.records().at(0);
  CHECK(record.start_offset == head.size());
  CHECK(record.end_offset == head.size() + 6 + mark633("E;x").size());
}

TEST_CASE("journal: a running record ends at the present cursor and tail") {
  FactsFixture t;
  t.feed(mark("C") + "abc");
  const auto record = t.records().at(0);
  CHECK(record.running);
  CHECK(record.end == Cursor{0, 3, 0});
  CHECK(record.end_offset == t.tail);
}

// T-22
TEST_CASE("journal: a record is trusted only where C and D both carried the nonce") {
  const auto trusted = [](const std::string& c, const std::string& d) {
    FactsFixture t(80, 24, with_nonce("s3cret"));
    t.feed(mark("C" + c) + "x\r\n" + mark("D" + d));
    return t.records().at(0).trusted;
  };
  CHECK(trusted(";nonce=s3cret", ";0;nonce=s3cret"));
  CHECK(trusted(";aid=1;nonce=s3cret;x", ";0;aid=1;nonce=s3cret"));
  CHECK(trusted(";nonce=s3cret", ";;nonce=s3cret"));
  CHECK_FALSE(trusted("", ";0;nonce=s3cret"));
  CHECK_FALSE(trusted(";nonce=s3cret", ";0"));
  CHECK_FALSE(trusted(";nonce=s3cre", ";0;nonce=s3cret"));
  CHECK_FALSE(trusted(";nonce=", ";0;nonce="));
}

TEST_CASE("journal: without a nonce of its own a terminal trusts nothing") {
  FactsFixture t;
  t.feed(mark("C;nonce=") + "x\r\n" + mark("D;0;nonce="));
  CHECK_FALSE(t.records().at(0).trusted);
}

TEST_CASE("journal: a program cannot replace the command line that the shell declared") {
  FactsFixture t(80, 24, with_nonce("n"));
  t.feed(mark("A") + "$ " + mark("B") + mark633("E;make;n") + mark633("E;rm -rf /") + "\r\n" +
         mark("C;nonce=n"));
  CHECK(t.records().at(0).command == "make");
}

TEST_CASE("journal: a longer declaration after C is the rest of the running record's input") {
  const std::string lines = mark("A") + "$ " + mark("B") + "echo a\r\necho b\r\n";
  const auto command = [&](const std::string& start, const std::string& after) {
    FactsFixture t(80, 24, with_nonce("n"));
    t.feed(lines + start + "a\r\n" + after + "b\r\n" + mark("D;0;nonce=n"));
    REQUIRE(t.records().size() == 1);
    const CommandRecord record = t.records().at(0);
    return record.command.value_or("-") +
           (record.command_source == CommandSource::screen ? " (screen)" : "");
  };
  const std::string ours = mark633("E;echo a;n") + mark("C;nonce=n");
  const std::string unsigned_start = mark633("E;echo a") + mark("C");
  CHECK(command(ours, mark633("E;echo a\\x0aecho b;n")) == "echo a\necho b");
  CHECK(command(ours, mark633("E;echo a\\x0ab;n") + mark633("E;echo a\\x0ab\\x0ac;n")) ==
        "echo a\nb\nc");
  CHECK(command(unsigned_start, mark633("E;echo a\\x0aecho b")) == "echo a\necho b");
  // Empty: what the shell cannot tell stands on the screen.
  CHECK(command(ours, mark633("E;;n")) == "echo a\necho b (screen)");
  CHECK(command(ours, mark633("E;;n") + mark633("E;echo a\\x0aother;n")) ==
        "echo a\necho b (screen)");
  CHECK(command(mark("C;nonce=n"), mark633("E;;n")) == "echo a\necho b (screen)");
  // Not the shell's own, or not of this input.
  CHECK(command(ours, mark633("E;echo a\\x0aforged")) == "echo a");
  CHECK(command(ours, mark633("E;")) == "echo a");
  CHECK(command(ours, mark633("E;other;n")) == "echo a");
}

TEST_CASE("journal: the nonce of the new child counts after a restart") {
  FactsFixture t(80, 24, with_nonce("old"));
  t.feed(cycle("one", "x\r\n", 0));
  t.exit();
  t.facts.restarted("new");
  t.feed(mark("C;nonce=old") + mark("D;0;nonce=old") + "\r\n" + mark("C;nonce=new") + "y" +
         mark("D;0;nonce=new"));
  const auto records = t.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].index == 1);
  CHECK_FALSE(records[0].trusted);
  CHECK(records[1].trusted);
}

TEST_CASE("journal: cmdline_url is the command where nothing better was declared") {
  FactsFixture t;
  t.feed(mark("A") + "$ " + mark("B") + "typed\r\n" + mark("C;cmdline_url=echo%20%E2%9C%93%3B"));
  CHECK(t.records().at(0).command == "echo \xE2\x9C\x93;");
  CHECK(t.records().at(0).command_source == CommandSource::declared);
  FactsFixture broken;
  broken.feed(mark("A") + "$ " + mark("B") + "typed\r\n" + mark("C;cmdline_url=a%2"));
  CHECK(broken.records().at(0).command == "typed");
  CHECK(broken.records().at(0).command_source == CommandSource::screen);
}

TEST_CASE("journal: the command on the screen is read without a right prompt") {
  FactsFixture t(40, 10);
  const std::string right = "12:30 main";
  for (const int gap : {0, 1}) {
    t.feed(mark("A") + "$ " + mark("B") + "git  log" + "\x1b[" +
           std::to_string(40 - static_cast<int>(right.size()) - gap + 1) + "G" + right +
           "\x1b[11G\r\n" + mark("C") + mark("D;0"));
    CHECK(t.records().back().command == "git  log");
  }
}

TEST_CASE("journal: a wrapped command keeps its blanks though it fills its row") {
  FactsFixture t(20, 10);
  t.feed(mark("A") + "$ " + mark("B") + "echo a  bbbbbbbbbb ccc\r\n" + mark("C"));
  CHECK(t.records().at(0).command == "echo a  bbbbbbbbbb ccc");
}

TEST_CASE("journal: text right of the cursor is no part of a command that ends in its row") {
  FactsFixture t;
  t.feed(mark("A") + "$ " + mark("B") + "lsX\b" + mark("C"));
  CHECK(t.records().at(0).command == "ls");
}

TEST_CASE("journal: a screen that was cleared between the marks gives no command") {
  FactsFixture t;
  t.feed("one\r\n" + mark("A") + "$ " + mark("B") + "ls\r\n\x1b[2J\x1b[H" + mark("C"));
  CHECK_FALSE(t.records().at(0).command);
  CHECK(t.records().at(0).command_source == CommandSource::none);
}

TEST_CASE("journal: the working directory is that of the start with its source") {
  FactsFixture t;
  t.feed("\x1b]7;file:///home/a\x07" + mark("C") + "\x1b]7;file:///home/b\x07" + mark("D;0"));
  CHECK(t.records().at(0).cwd == "/home/a");
  CHECK(t.records().at(0).cwd_source == CwdSource::osc7);
  t.feed(mark633("P;Cwd=/x\\x3by") + "\r\n" + mark("C"));
  CHECK(t.records().at(1).cwd == "/x;y");
  CHECK(t.records().at(1).cwd_source == CwdSource::osc633);
}

TEST_CASE("journal: output keeps the final newline of the command itself") {
  FactsFixture t;
  t.feed(cycle("echo hi", "hi\r\n", 0) + cycle("printf hi", "hi", 0) + "\r\n");
  CHECK(t.facts.output(std::uint64_t{0}, {}, 0)->slice.text == "hi\n");
  CHECK(t.facts.output(std::uint64_t{1}, {}, 0)->slice.text == "hi");
  CHECK(t.facts.output(CommandLatest{}, {}, 0)->record.index == 1);
}

TEST_CASE("journal: output of a running command goes to the cursor") {
  FactsFixture t;
  t.feed(mark("C") + "a\r\nb ");
  CHECK(t.facts.output(CommandLatest{}, {}, 0)->slice.text == "a\nb ");
}

TEST_CASE("journal: output whose rows were dropped says so and begins at what is left") {
  FactsFixture t(20, 3, {}, 4);
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    lines += "line " + std::to_string(i) + "\r\n";
  }
  t.feed(mark("C") + lines + mark("D;0"));
  const auto output = t.facts.output(std::uint64_t{0}, {}, 0);
  CHECK(output->record.evicted);
  CHECK(output->slice.evicted);
  CHECK(output->slice.text == "line 14\nline 15\nline 16\nline 17\nline 18\nline 19\n");
}

// T-23
TEST_CASE("journal: output moves with its text when the width changes") {
  FactsFixture t(20, 6);
  t.feed(cycle("cat", "0123456789012345678901234\r\nshort\r\n", 0) + mark("A") + "$ ");
  const std::string before = t.facts.output(std::uint64_t{0}, {}, 0)->slice.text;
  for (const std::uint16_t cols : std::vector<std::uint16_t>{7, 40, 20, 3}) {
    t.resize_width(cols);
    const auto output = t.facts.output(std::uint64_t{0}, {}, 0);
    CHECK(output->slice.text == before);
    CHECK(output->record.start.epoch == t.screen.epoch());
    CHECK_FALSE(output->record.evicted);
  }
}

TEST_CASE("journal: a listing is cut at its old end in tail mode and at its new end else") {
  TerminalOptions options;
  options.output_max = 4096;
  FactsFixture t(80, 24, options);
  for (int i = 0; i < 20; ++i) {
    t.feed(mark633("E;" + std::string(400, 'c')) + mark("C") + "\r\n" + mark("D;0"));
  }
  const auto newest = t.facts.journal({}, 0, true);
  CHECK(newest->truncated);
  CHECK(newest->records.back().index == 19);
  CHECK(newest->records.front().index > 0);
  const auto oldest = t.facts.journal(5, 0, false);
  CHECK(oldest->truncated);
  CHECK(oldest->records.front().index == 5);
  const auto limited = t.facts.journal({}, 2, true);
  CHECK_FALSE(limited->truncated);
  CHECK(limited->records.size() == 2);
  CHECK(limited->records.front().index == 18);
  CHECK(t.facts.journal(3, 2, true).error().code == Code::bad_request);
}

TEST_CASE("journal: marks on the alternate screen leave the primary text alone") {
  FactsFixture t;
  t.feed(mark("C") + "before\r\n\x1b[?1049h full screen \x1b[?1049l" + mark("D;0"));
  const auto output = t.facts.output(std::uint64_t{0}, {}, 0);
  CHECK(output->slice.text == "before\n");
  CHECK_FALSE(output->slice.alt_screen);
}

// T-24
TEST_CASE("journal: how a stream is cut makes no difference") {
  const std::string stream = "\x1b]7;file:///tmp\x07" + cycle("ls", "a\r\nb", 2) + "\r\n" +
                             mark633("E;echo \\x3b") + mark("A") + "$ " + mark("B") +
                             "x\x1b]133;C\x1b\\\xE2\x9C\x93\r\n\x1b]0;half\x1b]133;D;7\x07" +
                             mark("A") + mark("A") + "$ \x1b]133;D\x18" + mark("C") + mark("C") +
                             "12345678901234567890123" + mark("D");
  FactsFixture whole(10, 4);
  whole.feed(stream);
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    FactsFixture parts(10, 4);
    parts.feed(stream.substr(0, cut));
    parts.feed(stream.substr(cut));
    REQUIRE(describe(parts.records()) == describe(whole.records()));
  }
  FactsFixture bytes(10, 4);
  for (const char c : stream) {
    bytes.feed(std::string(1, c));
  }
  CHECK(describe(bytes.records()) == describe(whole.records()));
  CHECK(whole.records().size() == 3);
}

// T-25
TEST_CASE("journal: any order of marks keeps indices dense and one record running") {
  std::mt19937 random(11);
  const std::vector<std::string> pieces = {
      mark("A"),    mark("B"),    mark("C"),      mark("D;1"),      mark("D"),
      mark633("A"), mark633("C"), mark633("D;2"), mark633("E;cmd"), "text",
      "\r\n",       "\x1b[2J",    "\x1b[?1049h",  "\x1b[?1049l",    "\x1b[3A"};
  for (int round = 0; round < 200; ++round) {
    TerminalOptions options;
    options.journal_max = 5;
    FactsFixture t(12, 4, options, 6);
    for (int step = 0; step < 60; ++step) {
      t.feed(pieces[random() % pieces.size()]);
      const auto listing = t.facts.journal(0, 0, false);
      REQUIRE(listing->records.size() == listing->next_index - listing->oldest_index);
      std::size_t running = 0;
      for (std::size_t i = 0; i < listing->records.size(); ++i) {
        const CommandRecord& record = listing->records[i];
        REQUIRE(record.index == listing->oldest_index + i);
        REQUIRE(record.start_offset <= record.end_offset);
        REQUIRE(std::pair(record.start.seq, record.start.col) <=
                std::pair(record.end.seq, record.end.col));
        running += record.running ? 1 : 0;
      }
      REQUIRE(running <= 1);
      REQUIRE(listing->records.size() <= 5 + running);
    }
  }
}

TEST_CASE("journal: switched off it answers disabled and search and history remain") {
  TerminalOptions options;
  options.journal = false;
  FactsFixture t(80, 24, options);
  t.feed(cycle("ls", "file\r\n", 0));
  CHECK(t.facts.journal({}, 0, true).error().code == Code::disabled);
  CHECK(t.facts.output(std::uint64_t{0}, {}, 0).error().code == Code::disabled);
  CHECK(t.facts.since(CursorOldest{}, 0).error().code == Code::disabled);
  CHECK(t.facts.arm_text_wait({}, t.now, t.effects).error().code == Code::disabled);
  CHECK(t.facts.arm_journal_wait(CommandNext{}, 1, t.now, t.effects).error().code ==
        Code::disabled);
  CHECK(t.facts.arm_run(1, 0, t.now, t.effects).error().code == Code::disabled);
  SearchSpec spec;
  spec.pattern = "file";
  CHECK(t.facts.search(spec)->matches.size() == 1);
  CHECK(t.facts.history({}, {}, HistoryFormat::plain)->lines.size() == 2);
  CHECK(t.effects.empty());
}
