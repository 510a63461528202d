// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One face for the facts on model rows and for the whole terminal, so that a vector is played on
/// both: the first shows where a fault is, the second that none hides between the parts.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/terminal.hpp"
#include "tests/support/facts_fixture.hpp"

namespace troupe::test {

class ModelDriver {
 public:
  ModelDriver(std::uint16_t cols, std::uint16_t rows, const terminal::TerminalOptions& options)
      : fixture_(cols, rows, options, options.screen.history_rows) {}

  void feed(std::string_view bytes) { fixture_.feed(bytes); }
  void resize_rows(std::uint16_t rows) { fixture_.screen.resize_height(rows); }
  void exit() { fixture_.exit(); }
  void restart() { fixture_.facts.restarted({}); }

  [[nodiscard]] const terminal::RowSource& rows() const { return fixture_.screen; }
  [[nodiscard]] terminal::JournalListing journal() const {
    return fixture_.facts.journal(0, 0, false).value();
  }
  [[nodiscard]] terminal::CommandOutput output(std::uint64_t index) const {
    return fixture_.facts.output(index, std::nullopt, 0).value();
  }
  [[nodiscard]] TextSlice since(const CursorSpec& cursor, std::size_t max_bytes) const {
    return fixture_.facts.since(cursor, max_bytes).value();
  }
  [[nodiscard]] const std::optional<std::string>& cwd() const {
    return fixture_.facts.directory().path();
  }
  Result<terminal::WaitId> arm_text_wait(const terminal::TextWaitSpec& spec) {
    return fixture_.facts.arm_text_wait(spec, fixture_.now, fixture_.effects);
  }
  Result<terminal::WaitId> arm_journal_wait(const CommandSpec& index, std::int64_t timeout_ms) {
    return fixture_.facts.arm_journal_wait(index, timeout_ms, fixture_.now, fixture_.effects);
  }
  template <class T>
  std::vector<T> take() {
    return fixture_.take<T>();
  }

  /// The screen alone, with one or two chunks.
  static void feed_screen(std::uint16_t cols, std::uint16_t rows, std::string_view bytes,
                          terminal::ScreenEvents& events) {
    ModelRows(cols, rows).feed(bytes, 0, events);
  }
  static void feed_screen(std::uint16_t cols, std::uint16_t rows, std::string_view first,
                          std::string_view second, terminal::ScreenEvents& events) {
    ModelRows screen(cols, rows);
    screen.feed(first, 0, events);
    screen.feed(second, first.size(), events);
  }

 private:
  FactsFixture fixture_;
};

class TerminalDriver {
 public:
  TerminalDriver(std::uint16_t cols, std::uint16_t rows, const terminal::TerminalOptions& options)
      : terminal_(terminal::Size{cols, rows}, options) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      terminal::FeedResult result = terminal_.feed(bytes, now_, 1U << 20, effects_);
      bytes.remove_prefix(result.consumed);
      while (result.more) {
        result = terminal_.feed({}, now_, 1U << 20, effects_);
      }
    }
  }
  void resize_rows(std::uint16_t rows) { resize(terminal_.size().cols, rows); }
  void resize(std::uint16_t cols, std::uint16_t rows) {
    terminal_.resize({cols, rows}, now_, effects_);
  }
  void exit() { terminal_.ended(now_, effects_); }
  void restart() { terminal_.restarted(now_, {}, effects_); }

  [[nodiscard]] const terminal::RowSource& rows() const { return terminal_.screen(); }
  [[nodiscard]] terminal::JournalListing journal() const {
    return terminal_.journal(0, 0, false).value();
  }
  [[nodiscard]] terminal::CommandOutput output(std::uint64_t index) const {
    return terminal_.output(index, std::nullopt, 0).value();
  }
  [[nodiscard]] TextSlice since(const CursorSpec& cursor, std::size_t max_bytes) const {
    return terminal_.since(cursor, max_bytes).value();
  }
  [[nodiscard]] const std::optional<std::string>& cwd() const { return terminal_.cwd(); }
  Result<terminal::WaitId> arm_text_wait(const terminal::TextWaitSpec& spec) {
    return terminal_.arm_text_wait(spec, now_, effects_);
  }
  Result<terminal::WaitId> arm_journal_wait(const CommandSpec& index, std::int64_t timeout_ms) {
    return terminal_.arm_journal_wait(index, timeout_ms, now_, effects_);
  }
  template <class T>
  std::vector<T> take() {
    return take_effects<T>(effects_);
  }
  [[nodiscard]] const terminal::Terminal& terminal() const { return terminal_; }

  static void feed_screen(std::uint16_t cols, std::uint16_t rows, std::string_view bytes,
                          terminal::ScreenEvents& events) {
    feed_screen(cols, rows, bytes, {}, events);
  }
  static void feed_screen(std::uint16_t cols, std::uint16_t rows, std::string_view first,
                          std::string_view second, terminal::ScreenEvents& events) {
    terminal::Screen screen(terminal::Size{cols, rows});
    screen.feed(first, 0, 1U << 20, events);
    screen.feed(second, first.size(), 1U << 20, events);
  }

 private:
  terminal::Terminal terminal_;
  terminal::Now now_;
  terminal::Effects effects_;
};

}  // namespace troupe::test

#define TROUPE_DRIVERS troupe::test::ModelDriver, troupe::test::TerminalDriver
