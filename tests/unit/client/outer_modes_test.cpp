// SPDX-License-Identifier: MIT
#include "client/attach/outer_modes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "client/attach/output_filter.hpp"

using troupe::client::OuterModes;
using troupe::client::OutputFilter;

namespace {

std::string restore_after(std::string_view bytes) {
  OutputFilter filter;
  std::string out;
  filter.feed(bytes, out);
  return filter.modes().restore();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("outer_modes: C-1 each mode that was forwarded is undone") {
  struct Case {
    std::string_view set;
    std::string_view undo;
  };
  constexpr Case cases[] = {
      {"\x1b[?1h", "\x1b[?1l"},
      {"\x1b[?5h", "\x1b[?5l"},
      {"\x1b[?6h", "\x1b[?6l"},
      {"\x1b[?7l", "\x1b[?7h"},
      {"\x1b[?25l", "\x1b[?25h"},
      {"\x1b[?1000h", "\x1b[?1000l"},
      {"\x1b[?1003h", "\x1b[?1003l"},
      {"\x1b[?1006h", "\x1b[?1006l"},
      {"\x1b[?1004h", "\x1b[?1004l"},
      {"\x1b[?2004h", "\x1b[?2004l"},
      {"\x1b[?2026h", "\x1b[?2026l"},
      {"\x1b[?1049h", "\x1b[?1049l"},
      {"\x1b[?47h", "\x1b[?47l"},
      {"\x1b[4h", "\x1b[4l"},
      {"\x1b=", "\x1b>"},
      {"\x1b[2;5r", "\x1b[r"},
      {"\x1b[4 q", "\x1b[0 q"},
      {"\x1b[31m", "\x1b[0m"},
      {"\x1b(0", "\x1b(B"},
      {"\x0e", "\x0f"},
      {"\x1b[>1u", "\x1b[<2u"},
      {"\x1b[=5u", "\x1b[<1u"},
      {"\x1b[>4;2m", "\x1b[>4m"},
      {"\x1b]8;;http://x\x07", "\x1b]8;;\x1b\\"},
      {"\x1b]4;1;#fff\x07", "\x1b]104\x1b\\"},
      {"\x1b]11;#000\x07", "\x1b]111\x1b\\"},
      {"\x1b[3g", "\x1b[?5W"},
  };
  for (const Case& mode : cases) {
    CAPTURE(mode.set.substr(1));
    CHECK(contains(restore_after(mode.set), mode.undo));
    CHECK_FALSE(contains(restore_after("text"), mode.undo));
  }
}

TEST_CASE("outer_modes: what a program undid itself is not undone again") {
  const std::string undo =
      restore_after("\x1b[?1049h\x1b[?1002h\x1b[?25l\x1b[?1002l\x1b[?25h\x1b[?1049l");
  CHECK_FALSE(contains(undo, "1049"));
  CHECK_FALSE(contains(undo, "1002"));
  CHECK_FALSE(contains(undo, "?25"));
}

TEST_CASE("outer_modes: the keyboard stack of each screen is emptied on that screen") {
  const std::string undo = restore_after("\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>7u");
  const std::size_t alternate = undo.find("\x1b[<3u");
  const std::size_t leave = undo.find("\x1b[?1049l");
  const std::size_t primary = undo.find("\x1b[<2u");
  REQUIRE(alternate != std::string::npos);
  REQUIRE(leave != std::string::npos);
  REQUIRE(primary != std::string::npos);
  CHECK(alternate < leave);
  CHECK(leave < primary);
}

TEST_CASE("outer_modes: a picture that was cut is ended before anything else") {
  CHECK(restore_after("\x1bP0;0;0q~~~").starts_with("\x1b\\"));
}

TEST_CASE("outer_modes: the undo text stays small whatever a program sets") {
  std::string everything;
  for (int mode = 0; mode < 5000; ++mode) {
    everything += "\x1b[?" + std::to_string(mode) + "h\x1b[?" + std::to_string(mode) + "l";
    everything += "\x1b[?" + std::to_string(mode) + "h";
  }
  CHECK(restore_after(everything).size() < 2048);
}
