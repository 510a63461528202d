// SPDX-License-Identifier: MIT
// Many waits on one terminal read its rows together and lines are looked at in batches; each must
// be answered as if it were alone and every line were looked at by itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "terminal/shared_lines.hpp"
#include "terminal/stream_matcher.hpp"
#include "terminal/terminal.hpp"

using namespace troupe;
using namespace troupe::terminal;

namespace {

constexpr std::size_t budget = 1'000'000;

struct Answer {
  WaitId wait = 0;
  std::string text;
  Cursor next;
  WaitReason reason = WaitReason::timeout;
  bool operator==(const Answer&) const = default;
};

std::string show(const Answer& a) {
  return std::to_string(a.next.seq) + ":" + std::to_string(a.next.col) + " " + a.text;
}

class Driven {
 public:
  /// With little history every line feed is told of by itself.
  Driven(Size size, std::size_t history) : terminal_(size, options(history)) {}

  void arm(const TextWaitSpec& spec) { REQUIRE(terminal_.arm_text_wait(spec, {}, effects_)); }
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      bytes.remove_prefix(terminal_.feed(bytes, {}, budget, effects_).consumed);
    }
  }
  void resize(Size size) { terminal_.resize(size, {}, effects_); }

  std::vector<Answer> take() {
    std::vector<Answer> answers;
    for (Effect& effect : effects_) {
      if (auto* done = std::get_if<TextWaitDone>(&effect.what)) {
        answers.push_back(
            {done->wait, std::move(done->slice.text), done->slice.next, done->reason});
      }
    }
    effects_.clear();
    return answers;
  }

 private:
  static TerminalOptions options(std::size_t history) {
    TerminalOptions options;
    options.screen.history_rows = history;
    return options;
  }

  Terminal terminal_;
  Effects effects_;
};

constexpr std::size_t batching_history = 10'000;
constexpr std::size_t line_by_line_history = 1'000;

TextWaitSpec needle(const std::string& text) {
  TextWaitSpec spec;
  spec.cursor = CursorNow{};
  spec.needle = text;
  spec.timeout_ms = 60'000;
  return spec;
}

TextWaitSpec regex(const std::string& text) {
  TextWaitSpec spec = needle("");
  spec.needle.reset();
  spec.regex = text;
  return spec;
}

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) {
  return random() % end;
}

/// Text of few letters, so that needles come by, and now and then what disturbs finished rows.
std::string piece(Random& random) {
  static const std::vector<std::string> disturbing = {"\x1b[A",
                                                      "\x1b[2A",
                                                      "\x1b[H",
                                                      "\x1b[2J",
                                                      "\x1b[3J",
                                                      "\x1b[K",
                                                      "\x1b[1K",
                                                      "\x1b[31m",
                                                      "\x1b[m",
                                                      "\x1b[?1049h",
                                                      "\x1b[?1049l",
                                                      "\x1b[2;4r",
                                                      "\x1b[r",
                                                      "\x1b[M",
                                                      "\x1b[L",
                                                      "\x1bM",
                                                      "\x1b"
                                                      "D",
                                                      "\x1b"
                                                      "E",
                                                      "\b",
                                                      "\t",
                                                      "\x1b]2;t\x07",
                                                      "\x1b[3G",
                                                      "\x1b[4B",
                                                      "\x1b[J",
                                                      "\xe4\xbd\xa0",
                                                      "\x1b[2S",
                                                      "\x1b[2T",
                                                      "\xcc\x81",
                                                      "\x1b[5b",
                                                      "\x1b"
                                                      "c"};
  switch (below(random, 8)) {
    case 0:
      return disturbing[below(random, disturbing.size())];
    case 1:
    case 2:
      return "\r\n";
    case 3:
      return std::string(below(random, 3), '\n');
    default: {
      std::string text;
      for (std::size_t n = below(random, 9); n > 0; --n) {
        text += static_cast<char>('a' + below(random, 3));
      }
      return text;
    }
  }
}

std::vector<TextWaitSpec> some_waits(Random& random) {
  std::vector<TextWaitSpec> waits;
  const auto word = [&](std::size_t length) {
    std::string text;
    while (text.size() < length) {
      text += below(random, 12) == 0 ? '\n' : static_cast<char>('a' + below(random, 3));
    }
    return text;
  };
  for (std::size_t n = 2 + below(random, 6); n > 0; --n) {
    waits.push_back(needle(word(1 + below(random, 9))));
  }
  waits.push_back(regex("^" + std::string(1, 'a') + "[bc]+a"));
  waits.push_back(regex("c{3,}$"));
  waits.push_back(needle(word(7)));
  waits.back().regex = "bab+c";
  return waits;
}

/// Words that random expressions are made of, some beyond ASCII: RE2 takes the dotted I, the Kelvin
/// sign and the long s for small letters.
const std::vector<std::string>& words() {
  static const std::vector<std::string> words = {"abc",
                                                 "ABC",
                                                 "bca",
                                                 "aab",
                                                 "kelvin",
                                                 "\xe2\x84\xaa"
                                                 "elvin",
                                                 "\xc4\xb0"
                                                 "stan",
                                                 "istan",
                                                 "miss",
                                                 "mi\xc5\xbfs",
                                                 "\xc3\xbc"
                                                 "ber",
                                                 "\xc3\x9c"
                                                 "ber",
                                                 "q",
                                                 "z9"};
  return words;
}

std::string any_word(Random& random) {
  return words()[below(random, words().size())];
}

std::string expression(Random& random, int depth) {
  const auto part = [&] { return expression(random, depth - 1); };
  switch (depth == 0 ? below(random, 4) : below(random, 12)) {
    case 0:
    case 1:
      return any_word(random);
    case 2:
      return below(random, 2) == 0 ? "[a-c]" : "[kK\xc4\xb0]";
    case 3:
      return below(random, 2) == 0 ? "." : "\\d";
    case 4:
      return "(?:" + part() + "|" + part() + ")";
    case 5:
      return "(?:" + part() + ")?";
    case 6:
      return "(?:" + part() + ")+";
    case 7:
      return "(?i:" + part() + ")";
    case 8:
      return part() + ".*" + part();
    case 9:
      return below(random, 2) == 0 ? "^" + part() : part() + "$";
    case 10:
      return "\\b" + part();
    default:
      return part() + part();
  }
}

std::string any_line(Random& random) {
  std::string text;
  for (std::size_t n = below(random, 6); n > 0; --n) {
    text += below(random, 3) == 0 ? " " : any_word(random);
  }
  return text;
}

}  // namespace

// T-32
TEST_CASE("pattern: a text that is said to hold no match holds none") {
  constexpr unsigned seeds = 4'000;
  std::size_t spared = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::string source = expression(random, 3);
    CAPTURE(source);
    const Case letters = below(random, 4) == 0 ? Case::ignored : Case::sensitive;
    const auto pattern = Pattern::compile(source, Syntax::regex, letters);
    REQUIRE(pattern.ok());
    for (int i = 0; i < 20; ++i) {
      const std::string line = any_line(random);
      CAPTURE(line);
      const bool may = pattern.value().may_match(FoldedText(line));
      CHECK((may || !pattern.value().find(line)));
      spared += may ? 0U : 1U;
    }
  }
  CHECK(spared > seeds);
}

TEST_CASE("shared waits: expressions that share their lines answer as each would alone") {
  constexpr unsigned seeds = 150;
  std::size_t answers = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Size size{static_cast<std::uint16_t>(5 + below(random, 60)),
                    static_cast<std::uint16_t>(1 + below(random, 7))};
    Driven all(size, batching_history);
    std::vector<Driven> single;
    std::vector<std::string> sources;
    for (std::size_t n = 16 + below(random, 8); n > 0; --n) {
      sources.push_back(expression(random, 3));
      all.arm(regex(sources.back()));
      single.emplace_back(size, below(random, 2) == 0 ? batching_history : line_by_line_history)
          .arm(regex(sources.back()));
    }
    for (int chunk = 0; chunk < 12; ++chunk) {
      std::string bytes;
      for (std::size_t n = below(random, 8); n > 0; --n) {
        bytes += below(random, 4) == 0 ? piece(random) : any_line(random);
        bytes += below(random, 2) == 0 ? "\r\n" : "";
      }
      all.feed(bytes);
      std::vector<Answer> together = all.take();
      for (std::size_t i = 0; i < single.size(); ++i) {
        CAPTURE(sources[i]);
        single[i].feed(bytes);
        std::vector<Answer> alone = single[i].take();
        const auto same = std::find_if(together.begin(), together.end(),
                                       [&](const Answer& a) { return a.wait == i + 1; });
        REQUIRE((same != together.end()) == !alone.empty());
        if (!alone.empty()) {
          alone[0].wait = i + 1;
          CHECK(show(*same) == show(alone[0]));
          CHECK(*same == alone[0]);
          ++answers;
        }
      }
    }
  }
  CHECK(answers > seeds);
}

TEST_CASE("line matcher: any cut of the text gives the match that it gives without verdicts") {
  constexpr unsigned seeds = 3'000;
  constexpr std::size_t many = 100;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::string source = expression(random, 2);
    CAPTURE(source);
    auto compiled = Pattern::compile(source, Syntax::regex, Case::sensitive);
    REQUIRE(compiled.ok());
    const auto pattern = std::make_shared<const Pattern>(std::move(compiled).value());
    std::string text;
    for (std::size_t n = below(random, 9); n > 0; --n) {
      text += any_line(random) + (below(random, 2) == 0 ? "\n" : "");
    }
    LineMatcher plain(pattern);
    LineMatcher spared(pattern);
    SharedLines lines;
    const std::string context = below(random, 3) == 0 ? any_line(random) : "";
    plain.restart(context);
    spared.restart(context);
    lines.restart();
    for (std::size_t at = 0; at < text.size();) {
      const std::string part = text.substr(at, 1 + below(random, 40));
      at += part.size();
      if (below(random, 3) == 0) {
        lines.peek(part, many);
        CHECK(spared.peek(part, lines.verdicts(*pattern).first) ==
              plain.peek(part, Verdict::possible));
      }
      lines.take(part, many);
      const auto expected = plain.append_lines(part, {});
      CHECK(spared.append_lines(part, {nullptr, lines.verdicts(*pattern)}) == expected);
      if (expected) {
        break;
      }
      CHECK(spared.pending() == plain.pending());
    }
  }
}

TEST_CASE("shared waits: each is answered as if it were alone and lines came one by one") {
  constexpr unsigned seeds = 400;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Size size{static_cast<std::uint16_t>(4 + below(random, 12)),
                    static_cast<std::uint16_t>(1 + below(random, 7))};
    Driven all(size, batching_history);
    std::vector<Driven> single;
    const std::vector<TextWaitSpec> waits = some_waits(random);
    for (const TextWaitSpec& wait : waits) {
      all.arm(wait);
      single.emplace_back(size, line_by_line_history).arm(wait);
    }
    std::size_t answered = 0;
    for (int chunk = 0; chunk < 12 && answered < waits.size(); ++chunk) {
      std::string bytes;
      for (std::size_t n = below(random, 60); n > 0; --n) {
        bytes += piece(random);
      }
      all.feed(bytes);
      std::vector<Answer> together = all.take();
      for (std::size_t i = 0; i < single.size(); ++i) {
        single[i].feed(bytes);
        for (Answer& alone : single[i].take()) {
          alone.wait = i + 1;
          const auto same = std::find_if(together.begin(), together.end(),
                                         [&](const Answer& a) { return a.wait == alone.wait; });
          REQUIRE(same != together.end());
          CHECK(show(*same) == show(alone));
          CHECK(*same == alone);
          ++answered;
          together.erase(same);
        }
      }
      CHECK(together.empty());
      if (below(random, 6) == 0) {
        const Size other{static_cast<std::uint16_t>(4 + below(random, 12)), size.rows};
        all.resize(other);
        for (Driven& one : single) {
          one.resize(other);
        }
      }
    }
  }
}

TEST_CASE("shared waits: answers of one chunk come in the order of the lines that decide") {
  Driven terminal({80, 24}, batching_history);
  terminal.arm(needle("third"));
  terminal.arm(needle("first"));
  terminal.arm(regex("sec+ond"));
  terminal.feed("first\r\nsecond\r\nthird\r\n");
  const std::vector<Answer> answers = terminal.take();
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].text == "first");
  CHECK(answers[1].text == "first\nsecond");
  CHECK(answers[2].text == "first\nsecond\nthird");
}

TEST_CASE("shared waits: a line is seen that scrolls through a small history within one chunk") {
  for (const std::size_t history : {std::size_t{0}, std::size_t{10}, std::size_t{2'000}}) {
    Driven terminal({80, 24}, history);
    terminal.arm(needle("here"));
    std::string bytes = "it is here\r\n";
    for (int i = 0; i < 5'000; ++i) {
      bytes += "x\r\n";
    }
    terminal.feed(bytes);
    const std::vector<Answer> answers = terminal.take();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].next == Cursor{0, 10, 0});
  }
}

TEST_CASE("shared waits: a wait armed in the middle of the output joins the others") {
  Driven terminal({20, 4}, batching_history);
  terminal.arm(needle("zzz"));
  terminal.feed("one\r\ntwo\r\nthr");
  terminal.arm(needle("ee\nfour"));
  terminal.arm(needle("three"));
  terminal.feed("ee\r\nfour\r\nfive\r\n");
  std::vector<Answer> answers = terminal.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].wait == 2);
  CHECK(answers[0].next == Cursor{3, 4, 0});
  terminal.arm(needle("six"));
  terminal.feed("six three zzz\r\n");
  answers = terminal.take();
  REQUIRE(answers.size() == 3);
}

TEST_CASE("shared waits: a match stays the first one where a look takes several pieces") {
  Driven terminal({200, 5}, batching_history);
  TextWaitSpec both = needle("NN");
  both.regex = "never";
  terminal.arm(both);
  terminal.arm(needle("other"));
  terminal.feed("\r\n");  // they stand at the start of a row and join
  std::string bytes;
  for (int row = 1; row < 400; ++row) {
    // A full row that goes on in the next one: few bytes, much text, and no line end to look at.
    bytes += row == 150 || row == 329 ? "NN\x1b[197Cy" : "xx\x1b[197Cy";
  }
  terminal.feed(bytes);
  const std::vector<Answer> answers = terminal.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].next == Cursor{150, 2, 0});
}

TEST_CASE("shared waits: an expression that matches nothing at all matches where the wait begins") {
  Driven terminal({20, 4}, batching_history);
  terminal.arm(regex("\\b"));
  terminal.feed("one\r\ntwo\r\n");
  const std::vector<Answer> answers = terminal.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].text.empty());
  CHECK(answers[0].next == Cursor{0, 0, 0});
}

TEST_CASE("needle matcher: any cut of the text gives the match that a plain search finds") {
  constexpr unsigned seeds = 3'000;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto letters = [&](std::size_t count) {
      std::string text;
      while (text.size() < count) {
        text += static_cast<char>('a' + below(random, 2));
      }
      return text;
    };
    const std::string wanted = letters(1 + below(random, 9));
    const std::string text = letters(below(random, 90));
    NeedleMatcher matcher{wanted};
    matcher.restart({});
    std::optional<std::uint64_t> found;
    for (std::size_t at = 0; at < text.size() && !found;) {
      const std::string part = text.substr(at, 1 + below(random, 12));
      const GramSet grams(part);
      if (const auto peeked = matcher.peek(part, Verdict::possible)) {
        CHECK(*peeked == text.find(wanted) + wanted.size());
      }
      found = matcher.append_lines(part, {below(random, 2) == 0 ? &grams : nullptr, {}});
      at += part.size();
    }
    const std::size_t expected = text.find(wanted);
    REQUIRE(found.has_value() == (expected != std::string::npos));
    if (found) {
      CHECK(*found == expected + wanted.size());
    }
  }
}
