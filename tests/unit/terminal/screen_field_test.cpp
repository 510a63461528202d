// SPDX-License-Identifier: MIT
// What has broken other terminals, as tests of the screen.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/support/screen_state.hpp"

using troupe::terminal::all_history;
using troupe::terminal::ScreenImpl;
using troupe::terminal::ScreenLimits;
using troupe::terminal::Size;
using troupe::testing::describe;
using troupe::testing::feed_all;
using troupe::testing::NoEvents;

namespace {

struct Fixture : troupe::testing::FedScreen {
  using FedScreen::FedScreen;
  [[nodiscard]] std::string text() const { return screen.plain_text(all_history); }
  [[nodiscard]] std::string asked(std::string_view query) {
    events.replies.clear();
    feed(query);
    return events.replies;
  }
};

std::string numbers(int first, int last, const char* end = "\r\n") {
  std::string out;
  for (int i = first; i <= last; ++i) {
    out += std::to_string(i) + end;
  }
  return out;
}

std::string lines(int first, int last) {
  std::string out = numbers(first, last, "\n");
  out.pop_back();
  return out;
}

}  // namespace

TEST_CASE("screen: any number of CSI arguments is survived (V01)") {
  Fixture f;
  f.feed("\x1b[38:2:59:66:97;48:2:36:40:59;58:2:224:175:104;4:3mok");
  for (int n = 15; n <= 200; ++n) {
    std::string sequence = "\x1b[1";
    for (int i = 1; i < n; ++i) {
      sequence += ";1";
    }
    f.feed(sequence + "m");
  }
  CHECK(f.row(0) == "ok");
}

TEST_CASE("screen: a shrink with the cursor near the top keeps it on the screen (V02)") {
  for (const char* position : {"\x1b[H", "\x1b[10;1H"}) {
    Fixture f;
    f.feed(numbers(1, 23) + position);
    f.screen.resize({80, 5});
    f.feed("\x1b[Jok");
    CHECK(f.screen.cursor.y < 5);
    CHECK(f.text().find("ok") != std::string::npos);
  }
}

TEST_CASE("screen: one column becomes two and takes a wide character (V03)") {
  Fixture f;
  CHECK(troupe::terminal::Screen{Size{1, 30}}.size().cols == 2);
  troupe::terminal::Screen screen{Size{80, 24}};
  CHECK(screen.resize({1, 30}) == Size{2, 30});
}

TEST_CASE("screen: UTF-8 cut anywhere is the same character (V04 V05)") {
  const std::string stream =
      "ab\xF0\x9F\x98\x80"
      "c\xC3\xA9";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Fixture f;
    f.feed(stream.substr(0, cut));
    f.feed(stream.substr(cut));
    CHECK(f.row(0) ==
          "ab\xF0\x9F\x98\x80"
          "c\xC3\xA9");
  }
}

TEST_CASE("screen: an OSC ended by another escape does not swallow what follows (V06 V07)") {
  Fixture f;
  f.feed("\x1b]8;;http://e.com\x1b\\Link\x1b]8;;\x1b\r\nafter\x1b]133;A\x07");
  CHECK(f.row(0) == "Link");
  CHECK(f.row(1) == "after");
  CHECK(f.events.marks.starts_with("133;A@"));
  Fixture g;
  g.feed("\x1b];\x1b");
  g.feed("\x1b\\x");
  CHECK(g.row(0) == "x");
}

TEST_CASE("screen: a long wrapped line survives resizes (V08)") {
  Fixture f;
  f.feed(std::string(10'000, 'x'));
  for (const Size size : {Size{109, 29}, Size{20, 39}, Size{80, 24}}) {
    f.screen.resize(size);
    std::string text = f.text();
    CHECK(std::count(text.begin(), text.end(), 'x') == 10'000);
  }
}

TEST_CASE("screen: rapid resizes with random output keep every invariant (V09 V10)") {
  std::mt19937 random{7};
  Fixture f;
  for (int i = 0; i < 200; ++i) {
    std::string chunk;
    while (chunk.size() < 1024) {
      chunk += troupe::testing::random_token(random, f.screen.size.cols, f.screen.size.rows);
    }
    f.feed(chunk);
    const Size size{static_cast<std::uint16_t>(2 + random() % 99),
                    static_cast<std::uint16_t>(1 + random() % 40)};
    REQUIRE(f.screen.resize(size) == size);
    REQUIRE(f.screen.cursor.x < size.cols);
    REQUIRE(f.screen.cursor.y < size.rows);
  }
}

TEST_CASE("screen: ED 3 clears the history and a shrink keeps every line once (V11 V14 V15)") {
  Fixture f;
  f.feed(numbers(1, 100) + "\x1b[3J");
  CHECK(f.screen.history.rows() == 0);
  Fixture g;
  g.feed(numbers(1, 30) + "$ ");
  g.screen.resize({80, 10});
  CHECK(g.text() == lines(1, 30) + "\n$");
  g.screen.resize({80, 31});
  CHECK(g.text() == lines(1, 30) + "\n$");
}

TEST_CASE("screen: a region with its top below its bottom is ignored (V12)") {
  Fixture f;
  f.feed("\x1b[10;9r\x1b[Sx");
  CHECK(f.row(0) == "x");
}

TEST_CASE(
    "screen: a resize inside a full-screen program leaves the primary screen right (V18 V19 V44)") {
  for (const std::uint16_t rows : {std::uint16_t{14}, std::uint16_t{30}}) {
    Fixture f;
    f.feed(numbers(1, 99) + "$ ");
    f.feed("\x1b[?1049h\x1b[2J\x1b[Hpaint");
    f.screen.resize({80, rows});
    f.feed("\x1b[?1049l");
    CHECK(f.text() == lines(1, 99) + "\n$");
    CHECK(f.row(f.screen.cursor.y) == "$");
    CHECK(f.screen.cursor.x == 2);
    f.feed("next");
    CHECK(f.row(f.screen.cursor.y) == "$ next");
  }
  Fixture f;
  f.feed(numbers(1, 99) + "$ \x1b[?1049h");
  f.screen.resize({80, 30});
  f.screen.resize({80, 14});
  f.feed("\x1b[?1049l");
  CHECK(f.row(f.screen.cursor.y) == "$");
}

TEST_CASE("screen: all input modes come back with the checkpoint (V34 V35)") {
  Fixture f;
  f.feed(
      "\x1b[?1049h\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[>1u\x1b="
      "\x1b[?1h");
  const ScreenImpl copy = troupe::testing::restored(f.screen);
  CHECK(describe(copy) == describe(f.screen));
  CHECK(copy.mouse.protocol == 1002);
  CHECK(copy.keyboards[1].flags == 1);
}

TEST_CASE("screen: resizes do not change how often a line is there (V37)") {
  std::mt19937 random{3};
  Fixture f;
  f.feed(numbers(1000, 1079));
  for (int i = 0; i < 10; ++i) {
    f.screen.resize({static_cast<std::uint16_t>(20 + random() % 100),
                     static_cast<std::uint16_t>(5 + random() % 40)});
    CHECK(f.text() == lines(1000, 1079));
  }
}

TEST_CASE("screen: a resize leaves the cursor in its line where a line was inserted into another") {
  Fixture f{{5, 3}};
  f.feed("iota epsilonlambda nu");
  f.screen.resize({10, 4});
  f.feed("\x1b[L");
  f.screen.resize({6, 3});
  CHECK(f.row(0) == "lambda");
  CHECK(f.screen.cursor.x == 0);
  CHECK(f.screen.cursor.y == 2);
}

TEST_CASE(
    "screen: a wider alternate screen has a column for the character that would have wrapped") {
  Fixture f{{10, 4}};
  f.feed(
      "\x1b[?1049h\x1b[1;8Habc\x1b"
      "7");
  REQUIRE(f.screen.cursor.pending);
  f.screen.resize({14, 6});
  CHECK(f.screen.cursor.x == 10);
  f.feed(
      "d\x1b[H\x1b"
      "8e");
  CHECK(f.row(0) == "       abce");
}

TEST_CASE("screen: a resize adds tab stops behind the last one, though it be the first cut off") {
  Fixture f{{30, 4}};
  f.feed("\x1b[3g\x1b[1;6H\x1bH\x1b[1;21H\x1bH");
  f.screen.resize({20, 4});
  f.feed("\r\t");
  CHECK(f.screen.cursor.x == 5);
  f.feed("\t");
  CHECK(f.screen.cursor.x == 19);
  f.screen.resize({18, 4});
  f.feed("\r\t\t");
  CHECK(f.screen.cursor.x == 13);
}

TEST_CASE("screen: a line of 65536 characters is wrapped anew as one") {
  for (const char* character : {"a", "\xE2\x96\x92"}) {
    Fixture f;
    f.feed(std::string{character} + "\x1b[65535b");
    f.screen.resize({45, 30});
    const auto rows = f.screen.last_rows(2000);
    CHECK(rows.size() == (65'536 + 44) / 45);
    CHECK(rows.front().size() == 45 * std::string_view{character}.size());
    CHECK(rows.back().size() == 65'536 % 45 * std::string_view{character}.size());
  }
}

TEST_CASE("screen: blank rows at the end of a line go when it gets wider") {
  Fixture f{{10, 4}};
  f.feed("\x1b[1;2rdeltazetadelta delta mu zeta\x1b[T\x1b[2;10H\x1b[1K\x1b[2S");
  CHECK(f.screen.history.rows() == 3);
  f.screen.resize({8, 6});
  CHECK(f.screen.history.rows() == 4);
  f.screen.resize({9, 6});
  CHECK(f.screen.history.rows() == 3);
}

TEST_CASE(
    "screen: a background behind a wrapped line keeps its columns while the rows are as many") {
  Fixture f{{10, 3}};
  f.feed("abcdefghijkl\x1b[44m\x1b[K\x1b[m\x1b[3;1H");
  f.screen.resize({8, 3});
  const auto background = [&](std::uint32_t x) {
    return f.screen.primary.row(1).at(x).attributes.background != 0;
  };
  CHECK(f.row(1) == "ijkl");
  CHECK_FALSE(background(3));
  CHECK_FALSE(background(4));
  CHECK(background(5));
  CHECK(background(7));
  CHECK(describe(troupe::testing::restored(f.screen)) == describe(f.screen));
  f.screen.resize({20, 3});
  CHECK(f.row(0) == "abcdefghijkl");
  CHECK(f.screen.primary.row(0).used == 12);
}

TEST_CASE("screen: a blank row that nothing continues any more is one row at any width") {
  Fixture f{{12, 2}};
  f.feed("\x1b[2;9Htext");
  f.screen.resize({8, 2});
  f.feed("\r\n");
  REQUIRE(f.row(0) == "text");
  const auto before = f.screen.history.rows();
  f.feed("\x1b[H\x1b[2L");
  f.screen.resize({6, 2});
  CHECK(f.screen.history.rows() == before);
}

TEST_CASE("screen: a line of 20 million characters stays within the bounds (V41 T-64)") {
  Fixture f;
  const std::string chunk(1'000'000, 'x');
  for (int i = 0; i < 20; ++i) {
    f.feed(chunk);
  }
  CHECK(f.screen.history.rows() == f.screen.limits.history_rows);
  CHECK(f.screen.memory_bytes() < 16U * 1024 * 1024);
}

TEST_CASE("screen: endless styled output stays within the bounds (V42 T-64)") {
  ScreenLimits limits;
  limits.history_bytes = 1024 * 1024;
  Fixture f{{80, 24}, limits};
  std::mt19937 random{1};
  for (int i = 0; i < 20'000; ++i) {
    const auto n = [&] { return std::to_string(random() % 256); };
    f.feed("\x1b[38;2;" + n() + ';' + n() + ';' + n() + ";58;2;" + n() + ';' + n() + ';' + n() +
           "m\x1b]8;;http://" + std::to_string(i) + "/\a\xE4\xB8\xAD e\xCC\x81" + n() + "\r\n");
  }
  CHECK(f.screen.memory_bytes() < 8U * 1024 * 1024);
}

TEST_CASE("screen: queries are answered once and in order") {
  Fixture f{{33, 11}};
  CHECK(f.asked("\x1b[c\x1b[0c\x1bZ") == "\x1b[?62;22c\x1b[?62;22c\x1b[?62;22c");
  CHECK(f.asked("\x1b[>c\x1b[=c") == "\x1b[>1;0;0c\x1bP!|00000000\x1b\\");
  CHECK(f.asked("\x1b[5n\x1b[3;7H\x1b[6n\x1b[?6n") == "\x1b[0n\x1b[3;7R\x1b[?3;7R");
  CHECK(f.asked("\x1b[99;999H\x1b[6n") == "\x1b[11;33R");
  CHECK(f.asked("\x1b[?2004$p\x1b[?2004h\x1b[?2004$p\x1b[?25$p\x1b[4$p\x1b[?777$p") ==
        "\x1b[?2004;2$y\x1b[?2004;1$y\x1b[?25;1$y\x1b[4;2$y\x1b[?777;0$y");
  CHECK(f.asked("\x1b[>q").starts_with("\x1bP>|troupe "));
  CHECK(f.asked("\x1b[?u\x1b[>5u\x1b[?u\x1b[<u\x1b[?u") == "\x1b[?0u\x1b[?5u\x1b[?0u");
  CHECK(f.asked("\x1b[1;31m\x1bP$qm\x1b\\") == "\x1bP1$r0;1;31m\x1b\\");
  CHECK(f.asked("\x1b[2;5r\x1bP$qr\x1b\\\x1bP$qx\x1b\\") == "\x1bP1$r2;5r\x1b\\\x1bP0$r\x1b\\");
  CHECK(f.asked("\x1bP+q544e;zz\x1b\\") ==
        "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\\x1bP0+r\x1b\\");
  CHECK(f.asked("\x1b]11;?\a") == "\x1b]11;rgb:0000/0000/0000\x1b\\");
  CHECK(f.asked("\x1b]4;1;#102030\a\x1b]4;1;?\a") == "\x1b]4;1;rgb:1010/2020/3030\x1b\\");
  CHECK(f.asked("\x1b[18t\x1b[14t") == "\x1b[8;11;33t");
  CHECK(f.asked("\x1b]2;a\xc2\x9b"
                "b\a\x1b[21t") == "\x1b]lab\x1b\\");
}

TEST_CASE("screen: numbers of rows never name another text (T-65)") {
  troupe::terminal::Screen screen{Size{20, 4}};
  NoEvents events;
  const auto feed = [&](std::string_view bytes) { screen.feed(bytes, 0, 1'000'000, events); };
  feed("a\r\nb\r\nc");
  const auto before = screen.cursor();
  for (const char* erase : {"\x1b[H\x1b[J", "\x1b[2J\x1b[H",
                            "\x1b"
                            "c"}) {
    feed(erase);
    CHECK(screen.oldest() > before.seq);
    feed("a\r\nb\r\nc");
  }
  feed("\r\nd\r\ne");
  const auto oldest = screen.oldest();
  CHECK(screen.row(oldest).text == "a");
  screen.resize({20, 8});
  CHECK(screen.row(oldest).text == "a");
  screen.resize({20, 2});
  CHECK(screen.row(oldest).text == "a");
  CHECK(screen.row(screen.cursor().seq).text == "e");
}

TEST_CASE("screen: an older cursor finds its text after width changes (T-66)") {
  troupe::terminal::Screen screen{Size{20, 4}};
  NoEvents events;
  screen.feed("one\r\nthe quick brown fox jumps\r\nthree\r\nfour\r\nfive\r\nsix", 0, 1'000'000,
              events);
  troupe::Cursor fox{2, 0, screen.epoch()};
  REQUIRE(screen.row(2).text == "jumps");
  screen.resize({10, 4});
  screen.resize({40, 4});
  const auto place = screen.position(fox);
  REQUIRE(place);
  const auto now = screen.locate(*place);
  REQUIRE(now);
  CHECK(screen.row(now->seq, now->col).text == "jumps");
  CHECK(now->epoch == 2);
}

TEST_CASE("screen: rows keep the blanks that are text") {
  troupe::terminal::Screen screen{Size{10, 4}};
  NoEvents events;
  screen.feed("abcdefghi jkl  \x1b[4;1HContinue? ", 0, 1'000'000, events);
  CHECK(screen.row(0).text == "abcdefghi ");
  CHECK(screen.row(0).wrapped);
  CHECK(screen.row(1).text == "jkl");
  CHECK(screen.row(1).used == 3);
  CHECK(screen.row(3).text == "Continue? ");
  CHECK(screen.row(3, 8).text == "? ");
  CHECK(screen.row_cells(1, 1, 5).text == "kl  ");
  CHECK(screen.row_cells(2, 0, 3).text == "   ");
  screen.feed("\x1b[3;1H\xE4\xB8\xAD\x1b[31mx", 0, 1'000'000, events);
  CHECK(screen.row(2, 1).text == "x");
  CHECK(screen.column_of_byte(2, 3) == 2);
  CHECK(screen.row_ansi(2) == "\xE4\xB8\xAD\x1b[0;31mx\x1b[m");
}

TEST_CASE("screen: a row of many looks, and one that goes on, keep each of them in the history") {
  for (const char* const head : {"", "plain "}) {
    troupe::terminal::Screen screen{Size{30, 4}};
    NoEvents events;
    std::string line = head;
    for (int i = 0; i < 40; ++i) {
      line += "\x1b[3" + std::to_string(i % 7) + "mx";
    }
    screen.feed(line + "\x1b[m", 0, 1'000'000, events);
    const std::string first = screen.row_ansi(0);
    const std::string second = screen.row_ansi(1);
    screen.feed("\r\n\n\n\n\n\n", 0, 1'000'000, events);
    CHECK(screen.row_ansi(0) == first);
    CHECK(screen.row_ansi(1) == second);
  }
}

TEST_CASE("screen: a repeat of many characters stops at the budget and goes on") {
  Fixture f;
  const auto result = f.screen.feed("a\x1b[65535bz", 0, 1000, f.events);
  CHECK(result.more);
  CHECK(result.consumed == 9);
  feed_all(f.screen, "z", f.events, 9, 1000);
  std::string text = f.text();
  CHECK(std::count(text.begin(), text.end(), 'a') == 65536);
  CHECK(text.ends_with("az"));
}

TEST_CASE("screen: an idle terminal with a prompt is small (T-67)") {
  Fixture f;
  f.feed("\x1b[?2004huser@host:~$ \x1b[K");
  CHECK(f.screen.memory_bytes() <= 24U * 1024);
}

TEST_CASE("screen: a checkpoint over its cap drops history first and then colours") {
  ScreenLimits limits;
  limits.checkpoint_bytes = 20'000;
  Fixture f{{80, 24}, limits};
  for (int i = 0; i < 2000; ++i) {
    f.feed("\x1b[31mred " + std::to_string(i) + "\x1b[m\r\n");
  }
  const auto some = f.screen.checkpoint(2000);
  CHECK(some.reduced);
  CHECK(some.bytes.size() <= limits.checkpoint_bytes);
  CHECK(some.bytes.find("\x1b[0;31m") != std::string::npos);
  f.screen.limits.checkpoint_bytes = 400;
  CHECK(f.screen.checkpoint(2000).bytes.find("\x1b[0;31m") == std::string::npos);
}
