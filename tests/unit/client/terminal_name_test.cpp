// SPDX-License-Identifier: MIT
#include "client/cli/terminal_name.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::client::cli;

namespace {

std::vector<protocol::TerminalInfo> terminals() {
  std::vector<protocol::TerminalInfo> list(3);
  list[0].id = TerminalId{123'456'789'012};
  list[0].title = "build";
  list[1].id = TerminalId{0xabcdef012345};
  list[1].title = "build server";
  list[2].id = TerminalId{777};
  list[2].title = "notes";
  return list;
}

}  // namespace

TEST_CASE("terminal_name: ids come before titles and whole titles before beginnings") {
  CHECK(*match_terminal(terminals(), "777", Matching::exact) == 2);
  CHECK(*match_terminal(terminals(), "abcdef012345", Matching::exact) == 1);
  CHECK(*match_terminal(terminals(), "000000000309", Matching::exact) == 2);
  CHECK(*match_terminal(terminals(), "build", Matching::prefix) == 0);
  CHECK(*match_terminal(terminals(), "build s", Matching::prefix) == 1);
  CHECK(*match_terminal(terminals(), "no", Matching::prefix) == 2);
  CHECK(*match_terminal(terminals(), "abc", Matching::prefix) == 1);
  CHECK(*match_terminal(terminals(), "1234", Matching::prefix) == 0);
}

TEST_CASE("terminal_name: what means several is refused and the candidates are named") {
  const auto found = match_terminal(terminals(), "bui", Matching::prefix);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::bad_request);
  CHECK(found.error().message.find("123456789012") != std::string::npos);
  CHECK(found.error().message.find("build server") != std::string::npos);
}

TEST_CASE("terminal_name: what means nothing is not found") {
  CHECK(match_terminal(terminals(), "bui", Matching::exact).error().code == Code::not_found);
  CHECK(match_terminal(terminals(), "", Matching::prefix).error().code == Code::not_found);
  CHECK(match_terminal({}, "1", Matching::prefix).error().code == Code::not_found);
}

TEST_CASE("terminal_name: a hostile title cannot write controls into a message") {
  auto list = terminals();
  list[0].title = "x\x1b]0;evil\x07";
  list[1].title = "x\x1b[31m";
  const auto found = match_terminal(list, "x", Matching::prefix);
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find('\x1b') == std::string::npos);
}

TEST_CASE("terminal_name: completions offer ids and the titles and labels that mean one terminal") {
  auto list = terminals();
  list[0].label = "two words: \"x\"";
  list[1].title = "notes";  // as another's
  list[1].label = "notes2";
  list.resize(6);
  list[3].id = TerminalId{1};
  list[3].title = "-x";  // would be an option
  list[4].id = TerminalId{2};
  list[4].title = "a\nb";
  list[4].label = "a\x1b[31m";
  list[5].id = TerminalId{3};
  list[5].title = "777";  // another's id
  CHECK(completion_words(list) == std::vector<std::string>{"123456789012", "build",
                                                           "two words: \"x\"", "188900966474565",
                                                           "notes2", "777", "1", "2", "3"});
}
