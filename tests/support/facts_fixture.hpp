// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Facts on model rows, driven as a terminal drives them.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "terminal/facts.hpp"
#include "tests/support/model_rows.hpp"

namespace troupe::test {

/// The effects of one kind, which are taken out.
template <class T>
std::vector<T> take_effects(terminal::Effects& effects) {
  std::vector<T> found;
  terminal::Effects rest;
  for (terminal::Effect& effect : effects) {
    if (auto* what = std::get_if<T>(&effect.what)) {
      found.push_back(std::move(*what));
    } else {
      rest.push_back(std::move(effect));
    }
  }
  effects = std::move(rest);
  return found;
}

/// One terminal's facts over `ModelRows`, with a hand-set clock.
class FactsFixture {
 public:
  explicit FactsFixture(std::uint16_t cols = 80, std::uint16_t rows = 24,
                        terminal::TerminalOptions options = {}, std::size_t history = 10'000)
      : screen(cols, rows, history), facts(screen, options) {}

  void feed(std::string_view bytes) {
    screen.watch_lines(facts.wants_lines());
    facts.begin(now, tail, effects);
    screen.feed(bytes, tail, facts);
    tail += bytes.size();
    facts.end(tail);
  }
  void exit() { facts.ended(now, effects); }
  void resize_width(std::uint16_t cols) {
    facts.before_resize();
    screen.resize_width(cols);
    facts.after_resize();
  }

  [[nodiscard]] std::vector<CommandRecord> records() const {
    return facts.journal(0, 0, false)->records;
  }
  template <class T>
  std::vector<T> take() {
    return take_effects<T>(effects);
  }
  terminal::WaitId wait(const terminal::TextWaitSpec& spec) {
    return facts.arm_text_wait(spec, now, effects).value();
  }

  ModelRows screen;
  terminal::Facts facts;
  terminal::Now now;
  StreamOffset tail = 0;
  terminal::Effects effects;
};

}  // namespace troupe::test
