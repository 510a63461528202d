// SPDX-License-Identifier: MIT
// Properties over random streams: cut independence, both edit routes, the checkpoint law.
#include <doctest/doctest.h>

#include <random>

#include "tests/support/rounds.hpp"
#include "tests/support/screen_state.hpp"

using troupe::terminal::EditRoute;
using troupe::terminal::ScreenImpl;
using troupe::terminal::ScreenLimits;
using troupe::terminal::Size;
using troupe::testing::describe;
using troupe::testing::difference;
using troupe::testing::feed_all;
using troupe::testing::Names;
using troupe::testing::NoEvents;
using troupe::testing::random_token;
using troupe::testing::rounds;

namespace {

Size random_size(std::mt19937& random) {
  static constexpr Size sizes[] = {{20, 6}, {10, 4}, {33, 7}, {40, 10},
                                   {2, 1},  {7, 1},  {5, 3},  {80, 24}};
  return sizes[random() % std::size(sizes)];
}

std::string random_stream(std::mt19937& random, Size size, int tokens) {
  std::string out;
  for (int i = 0; i < tokens; ++i) {
    out += random_token(random, size.cols, size.rows);
  }
  return out;
}

std::string printable(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7E) {
      static constexpr char digits[] = "0123456789abcdef";
      out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("screen: a stream cut at every byte gives the same state and the same events (T-60)") {
  for (unsigned seed = 0; seed < rounds(80); ++seed) {
    std::mt19937 random{seed};
    const Size size = random_size(random);
    const std::string stream = random_stream(random, size, 40);
    ScreenImpl whole{size, ScreenLimits{}};
    ScreenImpl cut{size, ScreenLimits{}};
    NoEvents whole_events;
    NoEvents cut_events;
    feed_all(whole, stream, whole_events);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      feed_all(cut, std::string_view{stream}.substr(i, 1), cut_events, i, 1);
    }
    CAPTURE(seed);
    CAPTURE(printable(stream));
    REQUIRE(difference(describe(whole, Names::include), describe(cut, Names::include)) == "");
    REQUIRE(whole_events.replies == cut_events.replies);
    REQUIRE(whole_events.marks == cut_events.marks);
    REQUIRE(whole_events.titles == cut_events.titles);
  }
}

TEST_CASE("screen: both edit routes agree after every token (T-61)") {
  for (unsigned seed = 0; seed < rounds(30); ++seed) {
    std::mt19937 random{seed};
    const Size size = random_size(random);
    ScreenImpl direct{size, ScreenLimits{}};
    ScreenImpl by_vterm{size, ScreenLimits{}};
    by_vterm.route = EditRoute::vterm;
    NoEvents events;
    std::string stream;
    for (int i = 0; i < 60; ++i) {
      const std::string token = random_token(random, size.cols, size.rows);
      stream += token;
      feed_all(direct, token, events);
      feed_all(by_vterm, token, events);
      CAPTURE(seed);
      CAPTURE(printable(stream));
      REQUIRE(difference(describe(direct, Names::include), describe(by_vterm, Names::include)) ==
              "");
    }
  }
}

TEST_CASE("screen: a fresh screen fed with the checkpoint equals the one it was taken of (T-62)") {
  for (unsigned seed = 0; seed < rounds(250); ++seed) {
    std::mt19937 random{seed};
    Size size = random_size(random);
    ScreenImpl screen{size, ScreenLimits{}};
    NoEvents events;
    std::string stream;
    for (int i = 0; i < 60; ++i) {
      const std::string token = random_token(random, size.cols, size.rows);
      stream += token;
      feed_all(screen, token, events);
      if (random() % 50 == 0) {
        size = screen.resize(random_size(random));
        stream += "<resize " + std::to_string(size.cols) + 'x' + std::to_string(size.rows) + '>';
      }
    }
    CAPTURE(seed);
    CAPTURE(printable(stream));
    CAPTURE(printable(screen.checkpoint(troupe::terminal::all_history).bytes));
    REQUIRE(difference(describe(screen), describe(troupe::testing::restored(screen))) == "");
  }
}

TEST_CASE("screen: a checkpoint holds no C1 control and asks nothing (T-63)") {
  for (unsigned seed = 0; seed < rounds(200); ++seed) {
    std::mt19937 random{seed};
    const Size size = random_size(random);
    ScreenImpl screen{size, ScreenLimits{}};
    NoEvents events;
    feed_all(screen,
             random_stream(random, size, 60) +
                 "\x18 a\xc2\x9b"
                 "31mb",
             events);
    const std::string bytes = screen.checkpoint(troupe::terminal::all_history).bytes;
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
      const auto second = static_cast<unsigned char>(bytes[i + 1]);
      REQUIRE_FALSE((bytes[i] == '\xc2' && second >= 0x80 && second < 0xA0));
    }
    ScreenImpl fresh{size, ScreenLimits{}};
    NoEvents asked;
    feed_all(fresh, bytes, asked);
    REQUIRE(asked.replies.empty());
  }
}
