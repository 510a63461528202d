// SPDX-License-Identifier: MIT
// The whole value: screen, log, journal, reads and waits together.
#include "terminal/terminal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "tests/unit/terminal/drivers.hpp"

using namespace troupe;
using namespace troupe::terminal;
using troupe::test::TerminalDriver;

namespace {

std::string mark(const std::string& body) {
  return "\x1b]133;" + body + "\x07";
}

CursorAt at(const Cursor& cursor) {
  return {cursor.seq, cursor.col, cursor.epoch};
}

TextWaitSpec needle(const std::string& text, CursorSpec cursor = CursorNow{}) {
  TextWaitSpec spec;
  spec.cursor = cursor;
  spec.needle = text;
  spec.timeout_ms = 60'000;
  return spec;
}

std::string describe(const TerminalDriver& driver) {
  std::string text;
  for (const CommandRecord& r : driver.journal().records) {
    text += std::to_string(r.index) + " " + r.command.value_or("-") + " " +
            std::to_string(r.exit_code.value_or(-1)) + " " + std::to_string(r.start.seq) + ":" +
            std::to_string(r.start.col) + "-" + std::to_string(r.end.seq) + ":" +
            std::to_string(r.end.col) + " " + std::to_string(r.start_offset) + "-" +
            std::to_string(r.end_offset) + (r.running ? "R" : "") + (r.incomplete ? "I" : "") +
            r.cwd.value_or("-") + "\n" + driver.output(r.index).slice.text + "\n";
  }
  return text;
}

const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all = {mark("A"),
                                               mark("B"),
                                               mark("C"),
                                               mark("D;1"),
                                               mark("D"),
                                               "\x1b]633;E;ls\\x20-l\x1b\\",
                                               "\x1b]633;C\x07",
                                               "\x1b]7;file:///tmp\x07",
                                               "\x1b]0;title\x07",
                                               "\x1b]0;half",
                                               "\x18",
                                               "text",
                                               "\r\n",
                                               "  ",
                                               "\xE4\xB8\xAD",
                                               "e\xCC\x81",
                                               "\x1b[31m",
                                               "\x1b[2J",
                                               "\x1b[H",
                                               "\x1b[3J",
                                               "\x1b[A",
                                               "\x1b[5;3H",
                                               "\x1b[K",
                                               "\x1b[?1049h",
                                               "\x1b[?1049l",
                                               "0123456789abc",
                                               "\x1b[3b",
                                               "\x1b"
                                               "c",
                                               "\t",
                                               "\b",
                                               "\x1b[2;4r",
                                               "\x1b[r",
                                               "\x1bPtmux;\x1b\x1b]133;C\x07\x1b\\"};
  return all;
}

std::string random_stream(std::mt19937& random, std::size_t count) {
  std::string stream;
  for (std::size_t i = 0; i < count; ++i) {
    stream += pieces()[random() % pieces().size()];
  }
  return stream;
}

}  // namespace

// T-24
TEST_CASE("terminal: how a stream is cut makes no difference to journal and output") {
  std::mt19937 random(23);
  for (int round = 0; round < 40; ++round) {
    const std::string stream = random_stream(random, 30);
    TerminalDriver whole(9, 4, {});
    whole.feed(stream);
    const std::string expected = describe(whole);
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
      TerminalDriver parts(9, 4, {});
      parts.feed(stream.substr(0, cut));
      parts.feed(stream.substr(cut));
      REQUIRE(describe(parts) == expected);
    }
    TerminalDriver bytes(9, 4, {});
    for (const char c : stream) {
      bytes.feed(std::string(1, c));
    }
    REQUIRE(describe(bytes) == expected);
  }
}

// T-26
TEST_CASE("terminal: pages concatenate and cursors progress on any screen and after any resize") {
  std::mt19937 random(29);
  for (int round = 0; round < 300; ++round) {
    TerminalOptions options;
    options.screen.history_rows = 5 + random() % 30;
    TerminalDriver driver(static_cast<std::uint16_t>(2 + random() % 20), 5, options);
    CursorSpec old = CursorNow{};
    for (int step = 0; step < 5; ++step) {
      driver.feed(random_stream(random, 20));
      if (random() % 2 == 0) {
        driver.resize(static_cast<std::uint16_t>(2 + random() % 20),
                      static_cast<std::uint16_t>(1 + random() % 8));
      }
      if (step == 1) {
        old = at(driver.rows().cursor());
      }
    }
    for (const CursorSpec& begin : {CursorSpec(CursorOldest{}), old}) {
      const TextSlice whole = driver.since(begin, 0);
      std::string pages;
      CursorSpec next = begin;
      const std::size_t max_bytes = 1 + random() % 30;
      for (int page = 0;; ++page) {
        REQUIRE(page < 500);
        const TextSlice slice = driver.since(next, max_bytes);
        pages += slice.text;
        REQUIRE(std::pair(slice.next.seq, slice.next.col) >=
                std::pair(slice.start.seq, slice.start.col));
        if (!slice.truncated) {
          break;
        }
        REQUIRE(slice.next != slice.start);
        next = at(slice.next);
      }
      REQUIRE(pages == whole.text);
    }
  }
}

// T-28
TEST_CASE("terminal: on streams that append a wait answers exactly when a rescan would") {
  std::mt19937 random(31);
  const std::vector<std::string> words = {"a", "b", "ab", "\r\n", "aba", "\xE4\xB8\xAD", "\x1b[1m"};
  const std::vector<std::string> needles = {"abab", "b\na", "a\n\nb",
                                            "\xE4\xB8\xAD"
                                            "a",
                                            "abaabab"};
  for (int round = 0; round < 400; ++round) {
    const auto any_width = [&] { return static_cast<std::uint16_t>(2 + random() % 9); };
    TerminalDriver driver(any_width(), 3, {});
    const std::string& wanted = needles[random() % needles.size()];
    REQUIRE(driver.arm_text_wait(needle(wanted, CursorOldest{})).ok());
    for (int step = 0; step < 40; ++step) {
      std::string chunk;
      for (std::size_t i = random() % 5; i < 5; ++i) {
        chunk += words[random() % words.size()];
      }
      if (random() % 8 == 0) {
        driver.resize(any_width(), 3);
      }
      driver.feed(chunk);
      const std::string all = driver.since(CursorOldest{}, 0).text;
      const auto done = driver.take<TextWaitDone>();
      REQUIRE(done.empty() == (all.find(wanted) == std::string::npos));
      if (!done.empty()) {
        const std::string text = done[0].slice.text;
        REQUIRE(text == all.substr(0, all.find(wanted) + wanted.size()));
        REQUIRE(text + driver.since(at(done[0].slice.next), 0).text == all);
        break;
      }
    }
  }
}

// T-31
TEST_CASE("terminal: a cursor of an older epoch names the same text") {
  std::mt19937 random(41);
  const std::vector<std::string> words = {"a", "b", "cd", "\r\n", "efg", "\xE4\xB8\xAD"};
  for (int round = 0; round < 300; ++round) {
    TerminalDriver driver(static_cast<std::uint16_t>(2 + random() % 9),
                          static_cast<std::uint16_t>(1 + random() % 5), {});
    std::string fed;
    for (std::size_t i = random() % 30; i < 40; ++i) {
      fed += words[random() % words.size()];
    }
    driver.feed(fed);
    struct Old {
      CursorAt cursor;
      std::string text;
    };
    std::vector<Old> olds;
    const auto remember = [&] {
      const RowSource& rows = driver.rows();
      for (auto seq = rows.row_at_or_after(0); seq && *seq <= rows.cursor().seq;
           seq = rows.row_at_or_after(*seq + 1)) {
        const RowText row = rows.row(*seq);
        for (std::size_t byte = 0; byte <= row.text.size(); ++byte) {
          if (byte < row.text.size() &&
              (static_cast<unsigned char>(row.text[byte]) & 0xC0) == 0x80) {
            continue;
          }
          const std::uint32_t col = rows.column_of_byte(*seq, byte);
          const CursorAt cursor{*seq, col, rows.epoch()};
          olds.push_back({cursor, driver.since(cursor, 0).text});
        }
      }
    };
    remember();
    for (int i = 0; i < 3; ++i) {
      driver.resize(static_cast<std::uint16_t>(2 + random() % 12),
                    static_cast<std::uint16_t>(1 + random() % 5));
      CAPTURE(fed);
      CAPTURE(i);
      for (const Old& old : olds) {
        CAPTURE(old.cursor.seq);
        CAPTURE(old.cursor.col);
        CAPTURE(*old.cursor.epoch);
        REQUIRE(driver.since(old.cursor, 0).text == old.text);
      }
      remember();
    }
  }
}

TEST_CASE("terminal: output of a record survives width changes") {
  std::mt19937 random(37);
  for (int round = 0; round < 100; ++round) {
    TerminalDriver driver(30, 6, {});
    std::string output;
    for (int i = 0; i < 8; ++i) {
      output +=
          std::string(random() % 50, 'x') + (random() % 3 == 0 ? "\xE4\xB8\xAD" : "y") + "\r\n";
    }
    driver.feed(mark("A") + "$ " + mark("B") + "cmd\r\n" + mark("C") + output + "tail" +
                mark("D;0") + "\r\n" + mark("A") + "$ ");
    const std::string before = driver.output(0).slice.text;
    for (int i = 0; i < 4; ++i) {
      driver.resize(static_cast<std::uint16_t>(2 + random() % 60),
                    static_cast<std::uint16_t>(2 + random() % 8));
      REQUIRE(driver.output(0).slice.text == before);
    }
  }
}

// T-30
TEST_CASE("terminal: a million marks in one write leave a bounded journal") {
  Terminal terminal({80, 24}, {});
  std::string marks;
  for (int i = 0; i < 1000; ++i) {
    marks += mark("C") + mark("D;0");
  }
  Effects effects;
  std::size_t most = 0;
  std::string_view rest;
  for (int i = 0; i < 500; ++i) {
    rest = marks;
    while (!rest.empty()) {
      effects.clear();
      rest.remove_prefix(terminal.feed(rest, {}, 1U << 20, effects).consumed);
      most = std::max(most, effects.size());
    }
  }
  const auto journal = terminal.journal({}, 0, true);
  CHECK(journal->next_index == 500'000);
  CHECK(journal->records.size() == 256);
  CHECK(most <= 64U * 1024 / 8);
  CHECK(terminal.memory_bytes() < 4U * 1024 * 1024);
}

TEST_CASE("terminal: an endless line stays within the bounds of memory reads and waits") {
  TerminalOptions options;
  options.screen.history_rows = 10'000;
  Terminal terminal({80, 24}, options);
  Effects effects;
  TextWaitSpec spec = needle("never");
  spec.regex = "[a-w]$";
  REQUIRE(terminal.arm_text_wait(spec, {}, effects).ok());
  const std::string chunk(64U * 1024, 'x');
  for (int i = 0; i < 256; ++i) {  // 16 MiB
    REQUIRE(terminal.feed(chunk, {}, 1U << 24, effects).consumed == chunk.size());
  }
  CHECK(effects.empty());
  CHECK(terminal.memory_bytes() < 16U * 1024 * 1024);
  CHECK(terminal.since(CursorOldest{}, 0)->text.size() <= 1024U * 1024);
  SearchSpec search;
  search.pattern = "xa";
  CHECK(terminal.search(search)->matches.empty());
  terminal.feed("a", {}, 1U << 20, effects);
  REQUIRE(effects.size() == 1);
  CHECK(std::get<TextWaitDone>(effects[0].what).reason == WaitReason::regex);
  CHECK(terminal.search(search)->matches.size() == 1);
}

TEST_CASE("terminal: replies to queries come out in order and a flood of them is one effect") {
  Terminal terminal({80, 24}, {});
  Effects effects;
  terminal.feed("\x1b[5n\x1b[6n\x1b[5n", {}, 1U << 20, effects);
  REQUIRE(effects.size() == 1);
  CHECK(std::get<Reply>(effects[0].what).bytes == "\x1b[0n\x1b[1;1R\x1b[0n");
}

TEST_CASE("terminal: titles follow user then program then creation and tell only changes") {
  TerminalOptions options;
  options.title = "made";
  Terminal terminal({80, 24}, options);
  Effects effects;
  terminal.feed("\x1b]2;made\x07", {}, 1U << 20, effects);
  CHECK(effects.empty());
  terminal.feed("\x1b]2;prog\x07\x1b]2;prog\x07", {}, 1U << 20, effects);
  CHECK(effects.size() == 1);
  CHECK(effects[0].offset == 18);
  terminal.rename("mine", effects);
  CHECK(terminal.title() == "mine");
  terminal.feed("\x1b]2;other\x07", {}, 1U << 20, effects);
  CHECK(effects.size() == 2);
  terminal.rename(std::nullopt, effects);
  CHECK(terminal.title() == "other");
  terminal.feed("\x1b]2;\x07", {}, 1U << 20, effects);
  CHECK(terminal.title() == "made");
}

TEST_CASE("terminal: a restart goes on with offsets and sequences and forgets the records") {
  Terminal terminal({80, 24}, {});
  Effects effects;
  terminal.feed("\x1b]7;file:///tmp\x07" + mark("C") + "one\r\n", {}, 1U << 20, effects);
  terminal.ended({}, effects);
  CHECK(std::get<CommandFinished>(effects.back().what).record.pty_exited);
  const StreamOffset tail = terminal.tail();
  terminal.restarted({}, "nonce", effects);
  CHECK(terminal.tail() == tail);
  CHECK_FALSE(terminal.cwd());
  CHECK(terminal.journal({}, 0, true)->records.empty());
  effects.clear();
  terminal.feed(mark("C;nonce=nonce") + "two" + mark("D;3;nonce=nonce"), {}, 1U << 20, effects);
  const auto record = terminal.journal({}, 0, true)->records.at(0);
  CHECK(record.index == 1);
  CHECK(record.trusted);
  CHECK(record.start.seq == 1);
  CHECK(terminal.since(CursorOldest{}, 0)->text == "one\ntwo");
}

TEST_CASE("terminal: an unfinished row is continued where it ended with its colours too") {
  TerminalDriver driver(20, 4, {});
  const auto read = [&](const std::optional<CursorSpec>& cursor) {
    return driver.terminal().history(cursor, {}, HistoryFormat::ansi).value();
  };
  driver.feed("\x1b[31mabc");
  const HistorySlice first = read({});
  CHECK(first.lines == std::vector<std::string>{"\x1b[0;31mabc\x1b[m"});
  driver.feed("def");
  const CursorAt next{first.next.seq, first.next.col, first.next.epoch};
  CHECK(read(next).lines == std::vector<std::string>{"\x1b[0;31mdef\x1b[m"});
}

TEST_CASE("terminal: with colours a row has the blanks that it has without") {
  TerminalDriver driver(10, 4, {});
  const auto read = [&](const std::optional<CursorSpec>& cursor) {
    return driver.terminal().history(cursor, {}, HistoryFormat::ansi).value();
  };
  driver.feed("done  \r\n\x1b[32m$\x1b[m ");
  const HistorySlice prompt = read({});
  CHECK(prompt.lines == std::vector<std::string>{"done", "\x1b[0;32m$\x1b[m \x1b[m"});
  driver.feed("ls");
  const CursorAt next{prompt.next.seq, prompt.next.col, prompt.next.epoch};
  CHECK(read(next).lines == std::vector<std::string>{"ls"});
  driver.feed("\r\n\x1b[31mred\x1b[m\x1b[3Cx\x1b[2X\x1b[2C");
  CHECK(read({}).lines.back() == "\x1b[0;31mred\x1b[m   x\x1b[m  ");
  driver.feed("\r\x1b[K\x1b[6G");
  CHECK(read({}).lines.back() == "     ");
}

TEST_CASE("terminal: a row with its colours taken away is the plain row and visible blanks") {
  static const std::vector<std::string> pieces = {
      "ab",     "  ",       "\r\n",    "\xe4\xb8\xad", "\x1b[31m", "\x1b[m",  "\x1b[44m",
      "\x1b[K", "x",        "\x1b[3G", "\x1b[5C",      "\x1b[2X",  "\x1b[7m", "\x1b[4m",
      "\t",     "\xcc\x81", "\b",      "\x1b[A",       "\x1b[2J",  "\x1b[3P"};
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    TerminalDriver driver(static_cast<std::uint16_t>(3 + random() % 9), 4, {});
    std::string stream;
    for (int i = 0; i < 30; ++i) {
      stream += pieces[random() % pieces.size()];
    }
    CAPTURE(stream);
    driver.feed(stream);
    const RowSource& rows = driver.rows();
    for (auto seq = rows.row_at_or_after(0); seq; seq = rows.row_at_or_after(*seq + 1)) {
      const auto from = static_cast<std::uint32_t>(random() % 4);
      std::string bare;
      const std::string coloured = rows.row_ansi(*seq, from);
      for (std::size_t at = 0; at < coloured.size(); ++at) {
        if (coloured[at] == '\x1b') {
          at = coloured.find('m', at);
        } else {
          bare += coloured[at];
        }
      }
      const std::string plain = rows.row(*seq, from).text;
      REQUIRE(bare.substr(0, plain.size()) == plain);
      CHECK(bare.find_first_not_of(' ', plain.size()) == std::string::npos);
    }
  }
}

// T-33
TEST_CASE("terminal: a run of one line is answered at a continuation prompt in any shell") {
  const auto answered = [](std::string_view text, std::string_view modes) {
    Terminal terminal({80, 24}, {});
    Effects effects;
    terminal.feed(std::string(modes) + "\x1b]133;A\a$ \x1b]133;B\a", {}, 1U << 20, effects);
    REQUIRE(terminal.arm_run(text, 1000, 0, {}, effects).ok());
    terminal.feed("\r\n\x1b]133;P;k=s\a> ", {}, 1U << 20, effects);
    return std::any_of(effects.begin(), effects.end(), [](const auto& effect) {
      return std::holds_alternative<RunDone>(effect.what);
    });
  };
  CHECK(answered("for i in 1; do", ""));
  CHECK(answered("for i in 1; do\n", ""));
  CHECK(answered("for i in 1; do", "\x1b[?2004h"));
  CHECK(answered("for i in 1\ndo", "\x1b[?2004h"));
  CHECK_FALSE(answered("for i in 1\ndo echo; done", ""));  // its rest is typed already
}

TEST_CASE("terminal: keys and pastes follow the modes of the program") {
  Terminal terminal({80, 24}, {});
  Effects effects;
  CHECK(*terminal.encode_keys({"up"}) == "\x1b[A");
  terminal.feed("\x1b[?1h\x1b[?2004h", {}, 1U << 20, effects);
  CHECK(*terminal.encode_keys({"up"}) == "\x1bOA");
  CHECK(terminal.encode_paste("a\nb") == "\x1b[200~a\rb\x1b[201~");
  CHECK(terminal.run_input("a\nb") == "\x1b[200~a\rb\x1b[201~\r");
  terminal.feed("\x1b[>1u", {}, 1U << 20, effects);
  CHECK(*terminal.encode_keys({"ctrl+c"}) == "\x1b[99;5u");
}
