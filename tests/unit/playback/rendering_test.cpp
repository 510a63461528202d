// SPDX-License-Identifier: MIT
#include "playback/rendering.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "recording/html.hpp"
#include "recording/recording_writer.hpp"
#include "tests/support/pty_child.hpp"

namespace troupe::playback {

namespace {

std::vector<std::string> rendered(const std::string& bytes, RowFormat format,
                                  std::uint16_t cols = 20) {
  recording::RecordingWriter writer;
  std::string text;
  writer.start({"1", "pty", "", "", "", cols, 4}, {}, text);
  writer.output(0, bytes, {}, text);
  writer.stop({"eof", 0, "", ""}, {}, text);
  const test::TemporaryDirectory root;
  Result<recording::RecordingReader> reader =
      recording::RecordingReader::open(root.write("r", text));
  REQUIRE(reader.ok());
  return render(*reader, format);
}

}  // namespace

TEST_CASE("rendering: the text is what the screen and its history held in the end") {
  CHECK(rendered("one\r\ntwo\x1b[31m red\x1b[m\r\n\r\na\rb\x1b[K\r\nlast", RowFormat::plain) ==
        std::vector<std::string>{"one", "two red", "", "b", "last"});
  CHECK(rendered("0123456789012345678901234\r\nx", RowFormat::plain) ==
        std::vector<std::string>{"0123456789012345678901234", "x"});
  CHECK(rendered("", RowFormat::plain).empty());
}

TEST_CASE("rendering: rows keep their colours and become a page") {
  const std::vector<std::string> rows =
      rendered("a \x1b[1;32mgreen\x1b[m <b>\r\n", RowFormat::ansi);
  REQUIRE(rows.size() == 1);
  const std::string page = recording::html_page(rows, "t");
  CHECK(page.find("color:#0dbc79;") != std::string::npos);
  CHECK(page.find("green") != std::string::npos);
  CHECK(page.find("&lt;b&gt;") != std::string::npos);
}

TEST_CASE("rendering: more output than a screen's work budget is played whole") {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) {
    bytes += "line " + std::to_string(i) + "\r\n";
  }
  const std::vector<std::string> rows = rendered(bytes, RowFormat::plain);
  REQUIRE(rows.size() == 20'000);
  CHECK(rows.front() == "line 0");
  CHECK(rows.back() == "line 19999");
}

}  // namespace troupe::playback
