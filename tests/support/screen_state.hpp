// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A screen's whole state as text, to compare two screens, and a source of random streams.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "terminal/screen_impl.hpp"

namespace troupe::testing {

/// Events that nobody listens to; answers are kept.
class NoEvents final : public terminal::ScreenEvents {
 public:
  void mark(std::string_view payload, StreamOffset begin, StreamOffset end, bool printed) override;
  void title(std::string_view text, StreamOffset end) override;
  void working_directory(std::string_view) override {}
  void reply(std::string_view bytes) override { replies += bytes; }
  void bell() override { ++bells; }
  void line_finished() override { ++lines; }

  std::string replies;
  std::string marks;   ///< "payload@begin-end" and '+' where text was printed before, each + "\n"
  std::string titles;  ///< "text@end\n"
  int bells = 0;
  int lines = 0;
};

/// Feeds everything, resuming where the budget ends.
void feed_all(terminal::ScreenImpl& screen, std::string_view bytes, NoEvents& events,
              StreamOffset offset = 0, std::size_t budget = 1'000'000);

enum class Names : std::uint8_t { ignore, include };

/// Everything that later output may reveal, and nothing else: not the character REP would repeat,
/// not synchronized output, not a hidden alternate screen.
std::string describe(const terminal::ScreenImpl& screen, Names names = Names::ignore);

/// The first lines that differ of two descriptions; empty where they are equal.
std::string difference(const std::string& expected, const std::string& got);

/// One random token of terminal output for a screen of this size.
std::string random_token(std::mt19937& random, std::uint32_t cols, std::uint32_t rows);

/// A screen restored from another one's checkpoint, with all of its history.
terminal::ScreenImpl restored(const terminal::ScreenImpl& screen);

/// A screen that is fed piece by piece.
struct FedScreen {
  explicit FedScreen(terminal::Size size = {80, 24}, terminal::ScreenLimits limits = {})
      : screen{size, limits} {}
  void feed(std::string_view bytes) {
    feed_all(screen, bytes, events, offset);
    offset += bytes.size();
  }
  [[nodiscard]] std::string row(std::uint32_t y) const {
    return screen.last_rows(screen.size.rows)[y];
  }
  [[nodiscard]] bool restores() const { return describe(restored(screen)) == describe(screen); }

  terminal::ScreenImpl screen;
  NoEvents events;
  StreamOffset offset = 0;
};

}  // namespace troupe::testing
