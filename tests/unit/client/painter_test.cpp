// SPDX-License-Identifier: MIT
#include "client/attach/painter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace troupe::client;

namespace {

troupe::protocol::TerminalInfo terminal(std::uint16_t cols, std::uint16_t rows) {
  troupe::protocol::TerminalInfo info;
  info.title = "build";
  info.cols = cols;
  info.rows = rows;
  return info;
}

}  // namespace

TEST_CASE("painter: C-6 the window is scrolled away before it is cleared") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 24), {80, 24}, DetachKey{}, true, out);
  CHECK(std::count(out.begin(), out.end(), '\n') == 24);
  CHECK(out.find("\x1b[2J") == std::string::npos);
  CHECK(out.find("Ctrl-] detaches") != std::string::npos);
  CHECK(painter.modes().restore().find("\x1b[23;0t") != std::string::npos);
}

TEST_CASE("painter: a repaint undoes the modes of before and drops half a sequence") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 24), {80, 24}, DetachKey{}, true, out);
  painter.output("\x1b[?1002h\x1b]2;half a tit", out);
  out.clear();
  painter.repaint("screen", out);
  CHECK(out.find("\x1b[?1002l") != std::string::npos);
  CHECK(out.ends_with("\x1b[H\x1b[2Jscreen"));
  CHECK(painter.modes().restore().find("1002") == std::string::npos);
}

TEST_CASE("painter: a terminal with fewer rows scrolls within them") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 10), {80, 24}, DetachKey{}, false, out);
  out.clear();
  painter.repaint("screen", out);
  CHECK(out.find("\x1b[1;10r\x1b[Hscreen") != std::string::npos);
}

TEST_CASE("painter: the hint stands on a blank last row until there is input or output") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 24), {80, 24}, DetachKey{}, true, out);
  painter.repaint("$ ", out);
  out.clear();
  painter.hint("$ ", out);
  CHECK(out.find("Ctrl-] detaches") != std::string::npos);
  out.clear();
  painter.output("no new row", out);
  CHECK(out == "no new row");
  out.clear();
  painter.clear_hint(out);
  CHECK(out.find("\x1b[24;1H") != std::string::npos);
  out.clear();
  painter.clear_hint(out);
  CHECK(out.empty());
}

TEST_CASE("painter: no hint where the last row is in use") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 3), {80, 3}, DetachKey{}, true, out);
  painter.repaint("a\r\nb\r\nc", out);
  out.clear();
  painter.hint("a\nb\nc", out);
  CHECK(out.empty());
}

TEST_CASE("painter: printable text has no controls and no cut character") {
  CHECK(printable("a\x1b[31mb\x07\xc2\x9b"
                  "c\td",
                  100) == "a[31mbc d");
  CHECK(printable("\xe6\xbc\xa2\xe6\xbc\xa2", 4) == "\xe6\xbc\xa2");
  CHECK(printable(std::string(1000, 'x'), 10) == "xxxxxxxxxx");
}

TEST_CASE("painter: a notice lies over the last row after every repaint until it is taken back") {
  Painter painter;
  std::string out;
  painter.begin(terminal(20, 24), {20, 24}, DetachKey{}, true, out);
  painter.notice("another client took control");
  for (int times = 0; times < 2; ++times) {
    out.clear();
    painter.repaint("screen", out);
    CHECK(out.find("screen\x1b"
                   "7\x1b[?6l\x1b[24;1H\x1b[0m\x1b[2K\x1b[7m[troupe: another cli\x1b[0m") !=
          std::string::npos);
  }
  painter.notice({});
  out.clear();
  painter.repaint("screen", out);
  CHECK(out.ends_with("screen"));
}

TEST_CASE("painter: the title says that somebody only watches whatever the program calls itself") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 24), {80, 24}, DetachKey{}, true, out);
  painter.remark("watching only", out);
  out.clear();
  painter.title("vim", out);
  CHECK(out == "\x1b]2;vim (watching only)\x1b\\");
  out.clear();
  painter.remark("", out);
  CHECK(out == "\x1b]2;vim\x1b\\");
}

TEST_CASE("painter: C-1 C-6 a stop undoes everything and the window is taken anew afterwards") {
  Painter painter;
  std::string out;
  painter.begin(terminal(80, 24), {80, 24}, DetachKey{}, true, out);
  painter.output("\x1b[?1002h\x1b[?1049h", out);
  out.clear();
  painter.suspend(out);
  CHECK(out.find("\x1b[?1002l") != std::string::npos);
  CHECK(out.find("\x1b[?1049l") != std::string::npos);
  CHECK(out.ends_with("\x1b[23;0t"));
  CHECK(painter.modes().restore() == "\x1b\\");
  out.clear();
  painter.resume({80, 10}, out);
  CHECK(std::count(out.begin(), out.end(), '\n') == 10);
  CHECK(out.find("\x1b[22;0t") != std::string::npos);
  CHECK(painter.modes().restore().find("\x1b[23;0t") != std::string::npos);
}
