// SPDX-License-Identifier: MIT
#include "recording/html.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace troupe::recording {

namespace {

std::string body(const std::string& row) {
  const std::string page = html_page({row}, "");
  const std::size_t begin = page.find("<pre>") + 5;
  return page.substr(begin, page.find("\n</pre>") - begin);
}

}  // namespace

TEST_CASE("html: REC-17 text cannot become markup") {
  CHECK(body("<script>&\"'") == "&lt;script&gt;&amp;&quot;&#39;");
  CHECK(html_page({}, "</title><b>").find("&lt;/title&gt;&lt;b&gt;") != std::string::npos);
  CHECK(body("a\x01\x7f\x07"
             "b\xFF") == "ab\xEF\xBF\xBD");
  CHECK(body("\x1b]0;<b>\x07x\x1b]8;;javascript:1\x1b\\y\x1bP<i>\x1b\\z\x1b(Bw\x1b[2Jv\x1b") ==
        "xyzwv");
}

TEST_CASE("html: colours and styles of SGR") {
  CHECK(body("a\x1b[1;31mb\x1b[mc") ==
        "a<span style=\"color:#cd3131;font-weight:bold;\">b</span>c");
  CHECK(body("\x1b[38;5;196mx") == "<span style=\"color:#ff0000;\">x</span>");
  CHECK(body("\x1b[38;5;244mx") == "<span style=\"color:#808080;\">x</span>");
  CHECK(body("\x1b[38;2;1;2;3;48:2::4:5:6mx") ==
        "<span style=\"color:#010203;background:#040506;\">x</span>");
  CHECK(body("\x1b[7mx") == "<span style=\"color:#1e1e1e;background:#d4d4d4;\">x</span>");
  CHECK(body("\x1b[4:3;58;5;1;9;53mx") ==
        "<span style=\"text-decoration: underline line-through overline;\">x</span>");
  CHECK(body("\x1b[4m\x1b[4:0mx") == "x");
  CHECK(body("\x1b[97;104mx\x1b[39;49my") ==
        "<span style=\"color:#ffffff;background:#3b8eea;\">x</span>y");
  CHECK(body("\x1b[38;5mx\x1b[38mx\x1b[99999999999mx") == "xxx");
}

TEST_CASE("html: any bytes give a page whose only tags are ours") {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string row;
    constexpr std::string_view alphabet = "<>&\"'ab;:0123456789[]m\x1b\x1b\x1b\x07\\P\xFF\xC3\xA9";
    for (std::size_t length = random() % 40; row.size() < length;) {
      row += alphabet[random() % alphabet.size()];
    }
    std::string text = body(row);
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
      const bool is_ours =
          text.compare(at, 13, "<span style=\"") == 0 || text.compare(at, 7, "</span>") == 0;
      CHECK(is_ours);
    }
  }
}

}  // namespace troupe::recording
