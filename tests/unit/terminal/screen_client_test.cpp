// SPDX-License-Identifier: MIT
// Where the screen follows xterm.js though another answer would do as well: a client that shows
// the same stream, and is resized with it, shows the same rows.
#include <doctest/doctest.h>

#include "tests/support/screen_state.hpp"

using Fixture = troupe::testing::FedScreen;

TEST_CASE("screen: the mark of a wide character that had no room widens the one before it") {
  Fixture f{{10, 3}};
  f.feed("\x1b[?7l012345678x中\u0323");
  CHECK(f.row(0) == "012345678\u0323");
  CHECK(f.screen.primary.row(0).at(8).is_wide());
  CHECK(f.screen.cursor.x == 9);
  CHECK(f.restores());
  f.feed("y");
  CHECK(f.row(0) == "012345678\u0323");
  CHECK(f.screen.cursor.pending);
  CHECK(f.restores());
  f.feed("\x1b[1;10Hz");
  CHECK(f.row(0) == "01234567 z");
}

TEST_CASE("screen: a mark without a character before it takes two columns of its own") {
  Fixture f{{10, 3}};
  f.feed("\x1b[44m\x1b[2K\x1b[m\x1b[?7l\x1b[10Gx中\u0323\u0308");
  CHECK(f.row(0) == "        \u0323\u0308");
  CHECK(f.screen.primary.row(0).at(9).is_tail());
  CHECK(f.screen.primary.row(0).at(8).attributes.background != 0);
  CHECK(f.restores());
}

TEST_CASE("screen: a widened character comes back wherever it was moved to") {
  for (const char* move : {"\r\x1b[3P", "\x1b[?7h\x1b[10Gx\r\x1b[2P",
                           "\x1b[?7h\x1b[A\x1b[2;3r\x1b[S", "\x1b[3;1H\n\n\n", "\x1b[?1049h"}) {
    Fixture f{{10, 3}};
    f.feed("\x1b[?7l\x1b[31m012345678x中\u0323");
    f.feed(move);
    CHECK(f.restores());
  }
}

TEST_CASE("screen: a cluster that took the mark of a wide character comes back as wide as it was") {
  for (const char* move : {"", "\x1b[H\x1b[P", "\x1b[1;3H\x1b[?2027l", "\x1b[?1049h"}) {
    Fixture f{{10, 3}};
    f.feed("\x1b[?2027h\x1b[9GC\u200d\ufffd\x1b[?7l中\u0301");
    REQUIRE(f.screen.primary.row(0).at(8).is_wide());
    f.feed(move);
    CHECK(f.restores());
  }
}

TEST_CASE("screen: a flag that had one column at the end of a row keeps it where it is moved") {
  for (const char* move : {"", "\r\x1b[P", "\r\x1b[4P", "\r\x1b[2P\x1b[10Gx", "\x1b[?1049h"}) {
    Fixture f{{10, 3}};
    f.feed("\x1b[?2027h\x1b[41mab\x1b[10G\U0001F1E9\U0001F1EA");
    REQUIRE_FALSE(f.screen.primary.row(0).at(9).is_wide());
    f.feed(move);
    CHECK(f.restores());
  }
}

TEST_CASE(
    "screen: a widened character under a pending wrap is made without moves that origin mode "
    "shifts") {
  Fixture f{{10, 6}};
  f.feed("\x1b[2;5r\x1b[?7l\x1b[?6h\x1b[10Gx中\u0301r");
  REQUIRE(f.screen.cursor.pending);
  CHECK(f.restores());
  const std::string bytes = f.screen.checkpoint(0).bytes;
  const std::string after = bytes.substr(bytes.find("\x1b[?6h"));
  CHECK(after.find("\x1b[9G") == std::string::npos);
  CHECK(after.find("\x1b[C") == std::string::npos);
}

TEST_CASE("screen: a row that ends in a widened character is continued in a checkpoint too") {
  for (const std::uint16_t rows : {std::uint16_t{1}, std::uint16_t{3}}) {
    Fixture f{{10, rows}};
    f.feed("\x1b[?7l012345678x中\u0323y\x1b[?7hnext");
    CHECK(f.row(rows == 1 ? 0 : 1) == "next");
    CHECK(f.restores());
    f.screen.resize({16, rows});
    CHECK(f.row(0) == "012345678\u0323next");
    CHECK(f.restores());
  }
}

TEST_CASE("screen: text past the last column leaves a wide character there in one piece") {
  Fixture f{{6, 3}};
  f.feed("\x1b[?7lab中文c");
  CHECK(f.row(0) == "ab中文");
  CHECK(f.screen.cursor.pending);
  f.feed("defg");
  CHECK(f.row(0) == "ab中文");
  CHECK(f.restores());
  f.feed("\x1b[6Gx");
  CHECK(f.row(0) == "ab中 x");
  f.feed("\x1b[4h\r\x1b[4l\r字字字\x1b[4hy");
  CHECK(f.row(0) == "字字 y");
}

TEST_CASE("screen: a wide character without room breaks the one on which its piece begins") {
  Fixture f{{6, 3}};
  f.feed("\x1b[?7lab中文\x1b[1;6H字");
  CHECK(f.row(0) == "ab中");
  f.feed("\rab中文字字");
  CHECK(f.row(0) == "ab中文");
}

TEST_CASE("screen: the alternate screen gets back the columns that a narrower one cut off") {
  Fixture f{{12, 4}};
  f.feed("\x1b[?1049habcdefghijkl\r\n12345中\x1b[31m文ab\r\nfour five\x1b[3;1H");
  f.screen.resize({8, 4});
  f.screen.resize({6, 4});
  CHECK(f.row(0) == "abcdef");
  CHECK(f.row(1) == "12345");
  CHECK(f.restores());
  f.screen.resize({10, 4});
  CHECK(f.row(0) == "abcdefghij");
  CHECK(f.row(1) == "12345中文a");
  CHECK(f.screen.alternate->row(1).at(7).attributes.foreground != 0);
  CHECK(f.row(2) == "four five");
  f.screen.resize({12, 4});
  CHECK(f.row(0) == "abcdefghij");
}

TEST_CASE("screen: behind the edge nothing is kept of a row that is erased or new") {
  Fixture f{{12, 4}};
  f.feed("\x1b[?1049habcdefghijkl\r\n12345中文ab\r\nthree and\r\nfour more\x1b[H");
  f.screen.resize({6, 4});
  f.feed("\x1b[1;6Hx\x1b[2;6Hx\x1b[3;3H\x1b[J");
  f.screen.resize({12, 4});
  CHECK(f.row(0) == "abcdexghijkl");
  CHECK(f.row(1) == "12345x 文ab");
  CHECK(f.row(2) == "th    and");
  CHECK(f.row(3).empty());
  f.feed("\x1b[1;1Habcdefghijkl");
  f.screen.resize({6, 4});
  f.feed("\x1b[3H\x1b[2L");
  f.screen.resize({12, 4});
  CHECK(f.row(0) == "abcdefghijkl");
  CHECK(f.row(2).empty());
  CHECK(f.row(3).empty());
}

TEST_CASE("screen: clusters and colours behind the edge outlive a sweep of their tables") {
  Fixture f{{12, 4}};
  f.feed("\x1b[?1049h12345678\x1b[4m\x1b[58;5;9me\u0301\x1b[m");
  f.screen.resize({6, 4});
  f.screen.sweep_clusters();
  f.screen.sweep_extras();
  f.feed("\x1b[2;1Ha\u0308\x1b[4m\x1b[58;5;8mb\x1b[m");
  f.screen.resize({12, 4});
  CHECK(f.row(0) == "12345678e\u0301");
  const auto look = f.screen.alternate->row(0).at(8).attributes;
  CHECK(f.screen.extras.get(look.extra) !=
        f.screen.extras.get(f.screen.alternate->row(1).at(1).attributes.extra));
  CHECK(f.screen.extras.get(look.extra).underline != 0);
}

TEST_CASE("screen: an alternate screen first shown on a lower terminal takes rows back") {
  Fixture f{{10, 6}};
  f.feed("text");
  f.screen.resize({10, 3});
  f.feed("\x1b[?1049h\x1b[H1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8");
  CHECK(f.row(0) == "6");
  CHECK(f.screen.history.rows() == 0);
  CHECK(f.screen.last_rows(10).size() == 3);
  f.screen.resize({10, 5});
  CHECK(f.row(0) == "4");
  CHECK(f.row(4) == "8");
  CHECK(f.screen.cursor.y == 4);
  f.screen.resize({10, 6});
  CHECK(f.row(0) == "4");
  CHECK(f.row(5).empty());
  f.feed("\x1b[?1049l");
  CHECK(f.row(0) == "text");
}

TEST_CASE("screen: an alternate screen takes no rows back that were erased or are too old") {
  Fixture f{{10, 6}};
  f.screen.resize({10, 3});
  f.feed("\x1b[?1049h\x1b[H1\r\n2\r\n3\r\n4\r\n5\x1b[3J\r\n6");
  f.screen.resize({10, 6});
  CHECK(f.row(0) == "3");
  Fixture kept{{10, 4}};
  kept.feed("\x1b[?1049h\x1b[H1\r\n2\r\n3\r\n4\r\n5");
  kept.screen.resize({10, 6});
  CHECK(kept.row(0) == "2");
  kept.screen.resize({10, 4});
  kept.feed("\x1b[4;1H\n\n");
  kept.screen.resize({10, 6});
  CHECK(kept.row(0) == "4");
}

TEST_CASE(
    "screen: a blank before a wide character that begins a row is padding in the history too") {
  Fixture f{{40, 4}};
  f.feed("\x1b[29G\x1b[31m中\x1b[m end\r\n\n\n\n\n");
  f.screen.resize({28, 4});
  REQUIRE(f.screen.history.rows() == 3);
  CHECK(f.restores());
  f.screen.resize({41, 4});
  CHECK(f.screen.last_rows(20)[0] == std::string(27, ' ') + "中 end");
  const auto& line = f.screen.history.line(0);
  REQUIRE(line.runs);
  CHECK(line.runs->at(0).cells == 27);
  CHECK(line.runs->at(1).attributes.foreground != 0);
  CHECK(line.cells == 33);
  CHECK(f.restores());
}

TEST_CASE("screen: blanks before a wide character stay where no row ends between them") {
  Fixture f{{40, 4}};
  f.feed("\x1b[20G中文\r\n\n\n\n\n");
  for (const std::uint16_t cols : {std::uint16_t{30}, std::uint16_t{20}, std::uint16_t{40}}) {
    f.screen.resize({cols, 4});
  }
  CHECK(f.screen.last_rows(20)[0] == std::string(19, ' ') + "中文");
}

TEST_CASE("screen: what is left of a wide character that is printed over looks like the pen") {
  Fixture f{{6, 3}};
  f.feed("\x1b[42m中文字\x1b[44m\x1b[4h\x1b[1;4Hx");
  const auto background = [&](std::uint32_t x) {
    return f.screen.primary.row(0).at(x).attributes.background;
  };
  CHECK(f.row(0) == "中 x");
  CHECK(background(1) != background(2));
  CHECK(background(2) == background(3));
  CHECK(background(4) == background(3));
  f.feed("\x1b[4l\x1b[2;1H\x1b[m中文字\x1b[4m\x1b[2;6H語");
  CHECK(f.row(1) == "中文");
  CHECK(f.row(2) == "語");
  CHECK(f.screen.primary.row(1).at(4).attributes.flags != 0);
  CHECK(f.screen.primary.row(1).at(5).attributes.flags != 0);
  CHECK(f.restores());
}

TEST_CASE("screen: a wrap that is pending at a side margin ends with the margin") {
  for (const char* ends : {"\x1b[?69h", "\x1b[?69l"}) {
    Fixture f{{10, 3}};
    f.feed("\x1b[?69h\x1b[3;5s\x1b[1;3Habc");
    REQUIRE(f.screen.cursor.pending);
    f.feed(ends);
    CHECK_FALSE(f.screen.cursor.pending);
    CHECK(f.restores());
    f.feed("d");
    CHECK(f.row(0) == "  abcd");
  }
}

TEST_CASE("screen: a link with a byte that is no UTF-8 is none") {
  Fixture f{{10, 3}};
  f.feed("\x1b]8;;ok\xef\xbf\xbd\x1b\\a");
  CHECK(f.screen.pen.look.extra != 0);
  f.feed("\x1b]8;;t\xef\xbf\x9b\xbd\xcc\x81\x1b\\b");
  CHECK(f.screen.pen.look.extra == 0);
  CHECK(f.restores());
}

TEST_CASE("screen: a tab back stops at the left margin that origin mode keeps to") {
  Fixture f{{20, 3}};
  f.feed("\x1b[?69h\x1b[9;16s\x1b[?6h\x1b[5G\x1b[Z");
  CHECK(f.screen.cursor.x == 8);
  CHECK(f.restores());
  f.feed("\x1b[?6l\x1b[12G\x1b[2Z");
  CHECK(f.screen.cursor.x == 0);
  CHECK(f.restores());
}
