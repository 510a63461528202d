// SPDX-License-Identifier: MIT
#include "terminal/search.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/facts_fixture.hpp"

using namespace troupe;
using namespace troupe::terminal;
using troupe::test::FactsFixture;

namespace {

SearchSpec literal(const std::string& pattern) {
  SearchSpec spec;
  spec.pattern = pattern;
  return spec;
}

SearchSpec regex(const std::string& pattern) {
  SearchSpec spec = literal(pattern);
  spec.regex = true;
  return spec;
}

CursorAt at(const Cursor& cursor) {
  return {cursor.seq, cursor.col, cursor.epoch};
}

}  // namespace

TEST_CASE("search: matches have exact places and their logical line") {
  FactsFixture t(10, 4);
  t.feed("first\r\nabcdefghijklmno\r\nlast");
  const auto found = t.facts.search(literal("ijkl"));
  REQUIRE(found->matches.size() == 1);
  CHECK(found->matches[0].start == Cursor{1, 8, 0});
  CHECK(found->matches[0].end == Cursor{2, 2, 0});
  CHECK(found->matches[0].line == "abcdefghijklmno");
  CHECK_FALSE(found->truncated);
}

TEST_CASE("search: a match that fills its row ends there and one that begins a row begins there") {
  FactsFixture t(10, 4);
  t.feed("abcdefghijklmno");
  CHECK(t.facts.search(literal("ghij"))->matches.at(0).end == Cursor{0, 10, 0});
  CHECK(t.facts.search(literal("klm"))->matches.at(0).start == Cursor{1, 0, 0});
}

TEST_CASE("search: wide characters count two columns") {
  FactsFixture t(20, 4);
  t.feed("\xE4\xB8\xAD\xE6\x96\x87 text");
  const auto match = t.facts.search(literal("\xE6\x96\x87 t"))->matches.at(0);
  CHECK(match.start == Cursor{0, 2, 0});
  CHECK(match.end == Cursor{0, 6, 0});
}

TEST_CASE("search: case can be ignored and literal means literal") {
  FactsFixture t;
  t.feed("A.B axb a.b");
  CHECK(t.facts.search(literal("a.b"))->matches.size() == 1);
  SearchSpec spec = literal("a.b");
  spec.ignore_case = true;
  CHECK(t.facts.search(spec)->matches.size() == 2);
  CHECK(t.facts.search(regex("a.b"))->matches.size() == 2);
}

TEST_CASE("search: history and screen are one text and later rows of the screen count") {
  FactsFixture t(20, 3);
  t.feed("hit 1\r\n2\r\n3\r\n4\r\nhit 5\r\n6");
  t.feed("\x1b[2A");
  const auto found = t.facts.search(literal("hit"));
  REQUIRE(found->matches.size() == 2);
  CHECK(found->matches[0].start.seq == 0);
  CHECK(found->matches[1].start.seq == 4);
}

TEST_CASE("search: a limit is truncated and the next search goes on behind the last match") {
  FactsFixture t;
  t.feed("x x x\r\nx x");
  std::vector<Cursor> starts;
  SearchSpec spec = literal("x");
  spec.limit = 2;
  for (int page = 0; page < 3; ++page) {
    const auto found = t.facts.search(spec);
    CHECK(found->truncated == (page < 2));
    for (const SearchMatch& match : found->matches) {
      starts.push_back(match.start);
    }
    spec.cursor = at(found->next);
  }
  CHECK(starts == std::vector<Cursor>{{0, 0, 0}, {0, 2, 0}, {0, 4, 0}, {1, 0, 0}, {1, 2, 0}});
}

TEST_CASE("search: text that is printed after a search is found by the next one") {
  FactsFixture t(20, 10);
  SearchSpec spec = literal("hello");
  spec.cursor = at(t.facts.search(spec)->next);
  t.feed("\r\nhello\r\nhel");
  auto found = t.facts.search(spec);
  REQUIRE(found->matches.size() == 1);
  CHECK(found->matches[0].start == Cursor{1, 0, 0});
  spec.cursor = at(found->next);
  CHECK(found->next == Cursor{2, 0, 0});
  t.feed("lo hello");
  found = t.facts.search(spec);
  CHECK(found->matches.size() == 2);
  spec.cursor = at(found->next);
  CHECK(t.facts.search(spec)->matches.empty());
  CHECK(t.facts.search(spec)->next == found->next);
  t.feed(" and a hello that wraps");
  CHECK(t.facts.search(spec)->matches.size() == 1);
}

TEST_CASE("search: an end below the cursor holds back nothing that is printed at the cursor") {
  FactsFixture t(20, 6);
  t.feed("\x1b[6;1Hstatus\x1b[1;1H");
  SearchSpec spec = literal("hello");
  const auto nothing = t.facts.search(spec);
  CHECK(nothing->next == Cursor{0, 0, 0});
  spec.cursor = at(nothing->next);
  t.feed("hello");
  CHECK(t.facts.search(spec)->matches.size() == 1);
  spec.pattern = "status";
  const auto status = t.facts.search(spec);
  REQUIRE(status->matches.size() == 1);
  CHECK(status->next == status->matches[0].end);
}

TEST_CASE("search: the anchor is the line's start also where the search begins inside it") {
  FactsFixture t;
  t.feed("aaa bbb\r\naaa");
  SearchSpec spec = regex("^aaa");
  CHECK(t.facts.search(spec)->matches.size() == 2);
  spec.cursor = CursorAt{0, 1, {}};
  CHECK(t.facts.search(spec)->matches.size() == 1);
  CHECK(t.facts.search(regex("b$"))->matches.size() == 1);
}

TEST_CASE("search: empty matches are none") {
  FactsFixture t;
  t.feed("abc\r\n\xC3\xA9x");
  CHECK(t.facts.search(regex("x*"))->matches.size() == 1);
  CHECK(t.facts.search(regex("^"))->matches.empty());
}

TEST_CASE("search: patterns out of bounds are refused by kind") {
  FactsFixture t;
  CHECK(t.facts.search(literal("")).error().code == Code::bad_request);
  CHECK(t.facts.search(literal(std::string(4097, 'x'))).error().code == Code::too_large);
  CHECK(t.facts.search(regex("(")).error().code == Code::bad_request);
  SearchSpec future = literal("x");
  future.cursor = CursorAt{0, 0, 3};
  CHECK(t.facts.search(future).error().code == Code::bad_request);
}

TEST_CASE("search: one endless line is searched in pieces and its end is found") {
  FactsFixture t(80, 24);
  t.feed(std::string(400'000, 'x') + "\r\nDONE");
  const auto found = t.facts.search(regex("xxDONE|DONE"));
  REQUIRE(found->matches.size() == 1);
  CHECK(found->matches[0].line == "DONE");
  FactsFixture joined(80, 24);
  joined.feed(std::string(400'000, 'x') + "DONE");
  const auto last = joined.facts.search(regex("xxDONE"));
  REQUIRE(last->matches.size() == 1);
  CHECK(last->matches[0].line.size() <= max_match_line_bytes);
  CHECK(last->matches[0].end == joined.screen.cursor());
  CHECK(joined.facts.search(regex("^DONE"))->matches.empty());
  const auto all = joined.facts.search(regex("x+"));
  CHECK(all->matches.size() >= 1);
  CHECK(all->matches.size() < 20);
}

TEST_CASE("search: every offset of a needle in a long line has its right place") {
  for (const std::size_t before : {0U, 79U, 80U, 65535U, 65536U, 131071U, 131072U, 140'000U}) {
    FactsFixture t(80, 24);
    t.feed(std::string(before, '.') + "needle" + std::string(90'000, '.'));
    const auto found = t.facts.search(literal("needle"));
    REQUIRE(found->matches.size() == 1);
    const SearchMatch& match = found->matches[0];
    CHECK(match.start.seq * 80 + match.start.col == before);
    CHECK(match.end.seq * 80 + match.end.col == before + 6);
    CHECK(match.line.find("needle") != std::string::npos);
  }
}

TEST_CASE("search: the reply is bounded whatever the lines are") {
  TerminalOptions options;
  options.output_max = 65536;
  FactsFixture t(200, 24, options);
  for (int i = 0; i < 2000; ++i) {
    t.feed("\"\\" + std::string(150, 'y') + "\r\n");
  }
  SearchSpec spec = literal("y");
  spec.limit = 1'000'000;
  std::size_t total = 0;
  for (int page = 0; page < 5; ++page) {
    const auto found = t.facts.search(spec);
    CHECK(found->truncated);
    std::size_t bytes = 0;
    for (const SearchMatch& match : found->matches) {
      bytes += match.line.size();
    }
    CHECK(bytes <= options.output_max);
    total += found->matches.size();
    spec.cursor = at(found->next);
  }
  CHECK(total > 500);
}
