// SPDX-License-Identifier: MIT
#include "terminal/text_reader.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "tests/support/facts_fixture.hpp"

using namespace troupe;
using namespace troupe::terminal;
using troupe::test::FactsFixture;

namespace {

CursorAt at(const Cursor& cursor) {
  return {cursor.seq, cursor.col, cursor.epoch};
}

std::string random_text(std::mt19937& random, std::size_t pieces) {
  static const std::vector<std::string> words = {
      "a", "bc ", "\r\n", "  ", "\r\n\r\n", "0123456", "\xE4\xB8\xAD", "\xC3\xA9", "x\"\\"};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    text += words[random() % words.size()];
  }
  return text;
}

}  // namespace

// T-26
TEST_CASE("text_reader: pages of any size concatenate to the whole text and always progress") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    FactsFixture t(static_cast<std::uint16_t>(2 + random() % 12), 4);
    t.feed(random_text(random, 60));
    const auto whole = t.facts.since(CursorOldest{}, 0);
    REQUIRE_FALSE(whole->truncated);
    const std::size_t max_bytes = 1 + random() % 40;
    std::string pages;
    CursorSpec next = CursorOldest{};
    for (int page = 0;; ++page) {
      REQUIRE(page < 2000);
      const auto slice = t.facts.since(next, max_bytes);
      pages += slice->text;
      if (!slice->truncated) {
        REQUIRE(slice->next == t.screen.cursor());
        break;
      }
      REQUIRE(std::pair(slice->next.seq, slice->next.col) >
              std::pair(slice->start.seq, slice->start.col));
      next = at(slice->next);
    }
    REQUIRE(pages == whole->text);
  }
}

TEST_CASE("text_reader: reads along a growing text concatenate to one read of it") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    FactsFixture t(static_cast<std::uint16_t>(3 + random() % 10), 5);
    std::string read;
    CursorSpec next = CursorOldest{};
    std::string fed;
    for (int step = 0; step < 12; ++step) {
      // No line ends in blanks here: those are text while the row is unfinished and none after.
      std::string text = random_text(random, 5);
      for (std::size_t i = text.find(" \r"); i != std::string::npos; i = text.find(" \r")) {
        text.erase(i, 1);
      }
      text += "z";
      fed += text;
      t.feed(text);
      const auto slice = t.facts.since(next, 0);
      read += slice->text;
      next = at(slice->next);
    }
    CAPTURE(fed);
    REQUIRE(read == t.facts.since(CursorOldest{}, 0)->text);
  }
}

TEST_CASE("text_reader: a read from now has no text and gives the cursor") {
  FactsFixture t;
  t.feed("one\r\ntwo   right\x1b[4G");
  const auto slice = t.facts.since(CursorNow{}, 0);
  CHECK(slice->text.empty());
  CHECK(slice->next == Cursor{1, 3, 0});
  CHECK(slice->start == Cursor{1, 3, 0});
}

TEST_CASE("text_reader: the next cursor never goes back behind the given one") {
  FactsFixture t;
  t.feed("one\r\ntwo\r\nthree\x1b[2A\r");
  const auto slice = t.facts.since(CursorAt{2, 5, {}}, 0);
  CHECK(slice->text.empty());
  CHECK(slice->next == Cursor{2, 5, 0});
}

TEST_CASE("text_reader: a future epoch is refused and a future row is the present end") {
  FactsFixture t;
  t.feed("one\r\n");
  CHECK(t.facts.since(CursorAt{0, 0, 1}, 0).error().code == Code::bad_request);
  const auto future = t.facts.since(CursorAt{1'000'000, 5, 0}, 0);
  CHECK(future->text.empty());
  CHECK(future->next == t.screen.cursor());
}

TEST_CASE("text_reader: a cursor of an older epoch finds its text again") {
  FactsFixture t(20, 6);
  t.feed("first line here\r\nsecond line that wraps around\r\nend");
  const CursorAt old{1, 7, 0};
  const std::string before = t.facts.since(old, 0)->text;
  CHECK(before == "line that wraps around\nend");
  for (const std::uint16_t cols : std::vector<std::uint16_t>{5, 50, 9}) {
    t.resize_width(cols);
    CHECK(t.facts.since(old, 0)->text == before);
  }
}

TEST_CASE("text_reader: a cursor on erased rows says evicted and goes on with what is there") {
  FactsFixture t;
  t.feed("one\r\ntwo\r\n\x1b[2J\x1b[Hnew");
  const auto slice = t.facts.since(CursorAt{1, 0, {}}, 0);
  CHECK(slice->evicted);
  CHECK(slice->text == "new");
}

TEST_CASE("text_reader: while the alternate screen is shown the primary one answers") {
  FactsFixture t;
  t.feed("one\r\ntwo\x1b[?1049hfull");
  const auto slice = t.facts.since(CursorOldest{}, 0);
  CHECK(slice->text == "one\ntwo");
  CHECK(slice->alt_screen);
}

TEST_CASE("text_reader: one row longer than asked for is given whole") {
  FactsFixture t(80, 5);
  t.feed(std::string(70, 'x') + "\r\nnext");
  const auto slice = t.facts.since(CursorOldest{}, 10);
  CHECK(slice->text == std::string(70, 'x') + "\n");
  CHECK(slice->truncated);
  CHECK(slice->next == Cursor{1, 0, 0});
}

TEST_CASE("text_reader: history without a cursor gives all rows or the last ones") {
  FactsFixture t(20, 4);
  t.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6");
  const auto all = t.facts.history({}, {}, HistoryFormat::plain);
  CHECK(all->lines == std::vector<std::string>{"1", "2", "3", "4", "5", "6"});
  CHECK(all->start == Cursor{0, 0, 0});
  CHECK(all->next == t.screen.cursor());
  const auto last = t.facts.history({}, 2, HistoryFormat::plain);
  CHECK(last->lines == std::vector<std::string>{"5", "6"});
  CHECK(t.facts.history(CursorSpec(CursorAt{1, 0, {}}), 2, HistoryFormat::plain)->lines ==
        std::vector<std::string>{"2", "3"});
}

TEST_CASE("text_reader: history of so many rows says whether there are more behind them") {  // T-26
  FactsFixture t(20, 4);
  t.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6");
  std::vector<std::string> all;
  CursorSpec next = CursorOldest{};
  for (bool more = true; more;) {
    const auto page = t.facts.history(next, 4, HistoryFormat::plain);
    REQUIRE_FALSE(page->lines.empty());
    all.insert(all.end(), page->lines.begin(), page->lines.end());
    next = CursorSpec(at(page->next));
    more = page->truncated;
    CHECK(more == (all.size() == 4));
  }
  CHECK(all == std::vector<std::string>{"1", "2", "3", "4", "5", "6"});
  CHECK_FALSE(t.facts.history({}, 2, HistoryFormat::plain)->truncated);
}

TEST_CASE("text_reader: history that is continued repeats nothing and loses nothing") {
  FactsFixture t(20, 4);
  t.feed("1\r\n2\r\nunfin");
  auto slice = t.facts.history({}, {}, HistoryFormat::plain);
  CHECK(t.facts.history(CursorSpec(at(slice->next)), {}, HistoryFormat::plain)->lines.empty());
  t.feed("ished\r\n4\r\n5\r\n6\r\n");
  slice = t.facts.history(CursorSpec(at(slice->next)), {}, HistoryFormat::plain);
  CHECK(slice->lines == std::vector<std::string>{"ished", "4", "5", "6"});
  slice = t.facts.history(CursorSpec(at(slice->next)), {}, HistoryFormat::plain);
  CHECK(slice->lines.empty());
}

TEST_CASE("text_reader: history is cut by bytes and goes on from there") {
  TerminalOptions options;
  options.output_max = 4096;
  FactsFixture t(80, 24, options);
  for (int i = 0; i < 200; ++i) {
    t.feed(std::to_string(i) + std::string(60, '.') + "\r\n");
  }
  std::vector<std::string> lines;
  CursorSpec next = CursorOldest{};
  for (;;) {
    const auto slice = t.facts.history(next, {}, HistoryFormat::plain);
    lines.insert(lines.end(), slice->lines.begin(), slice->lines.end());
    next = at(slice->next);
    if (!slice->truncated) {
      break;
    }
  }
  CHECK(lines.size() == 200);
  CHECK(lines[199] == "199" + std::string(60, '.'));
}
