// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The screen of one terminal as a value: gate, grids, history, modes, checkpoint.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "terminal/row_source.hpp"
#include "terminal/screen_events.hpp"

namespace troupe::terminal {

struct Size {
  std::uint16_t cols = 80;
  std::uint16_t rows = 24;
  bool operator==(const Size&) const = default;
};

/// Cells of a screen at most; a larger one is refused (`too_large`).
inline constexpr std::uint32_t max_cells = 1'048'576;

struct ScreenLimits {
  std::size_t history_rows = 10'000;  ///< TROUPE_SCROLLBACK
  std::size_t history_bytes = 12U * 1024 * 1024;
  std::size_t checkpoint_rows = 2'000;  ///< TROUPE_CHECKPOINT_ROWS
  std::size_t checkpoint_bytes = 4U * 1024 * 1024;
};

struct Checkpoint {
  std::string bytes;
  bool reduced = false;  ///< history or colours were left out to stay below the byte cap
};

/// Which history rows a checkpoint or a text covers.
inline constexpr std::size_t all_history = SIZE_MAX;

/// What the encoders of keys and pastes, and a client that repaints, must know.
struct InputModes {
  bool application_cursor = false;
  bool application_keypad = false;
  bool bracketed_paste = false;
  bool newline_mode = false;
  bool backarrow_sends_backspace = false;
  std::uint8_t kitty_flags = 0;  ///< of the active screen
  std::uint8_t modify_other_keys = 0;
};

struct FeedResult {
  std::size_t consumed = 0;  ///< bytes taken; fewer than given when the work budget ran out
  bool more = false;  ///< work of already consumed bytes is left: feed again (even with no bytes)
};

class ScreenImpl;

/// The line in which the cursor stands, up to it.
struct CursorLine {
  std::string text;
  std::uint64_t name = 0;  ///< the same while the cursor stays in this line
};

/// One terminal's screen. See docs/emulation.md for its behaviour.
///
/// Threads: none of its own; one caller at a time. No fd, clock or CAF.
/// Bounds: everything a child can grow has a cap (ScreenLimits and screen's own tables).
/// Invariants: feed is independent of how the stream is cut; feed(checkpoint(s)) == s.
class Screen final : public RowSource {
 public:
  explicit Screen(Size size, const ScreenLimits& limits = {});
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;
  ~Screen() override;

  /// Consumes bytes; `offset` is the absolute offset of the first one. `work_budget` bounds the
  /// cells touched (a REP of eight bytes makes 65,535 cells): at the bound it stops early.
  FeedResult feed(std::string_view bytes, StreamOffset offset, std::size_t work_budget,
                  ScreenEvents& events);

  /// Changes the size (columns clamped to at least 2) and returns the effective one. History and
  /// primary screen reflow on a width change (epoch is raised); the alternate screen is cut/padded,
  /// and gets back what was cut.
  Size resize(Size size);
  [[nodiscard]] Size size() const;

  /// Back to the state of a new terminal's modes after the child was restarted; text stays, the
  /// cursor goes to a fresh line.
  void restart();

  /// Asks for `line_finished` events (while waits are armed).
  void watch_lines(bool on);

  [[nodiscard]] Checkpoint checkpoint(std::size_t history_rows) const;
  /// Plain text of the newest `history_rows` rows of history and the active screen: rows joined by
  /// "\n", soft wraps as separate lines, trailing blanks and trailing blank rows trimmed.
  [[nodiscard]] std::string plain_text(std::size_t history_rows) const;
  /// The last `count` physical rows (history and active screen), right-trimmed, oldest first.
  [[nodiscard]] std::vector<std::string> last_rows(std::size_t count) const;
  /// Protocol 7's cursor on the active screen, zero-based, x <= cols-1.
  [[nodiscard]] std::uint16_t cursor_x() const;
  [[nodiscard]] std::uint16_t cursor_y() const;
  /// What stands before the cursor on the active screen, in its row and in the rows that this one
  /// continues, at most `max_rows` in all; blanks as they are.
  [[nodiscard]] CursorLine cursor_line(std::uint32_t max_rows) const;

  [[nodiscard]] InputModes input_modes() const;
  /// Mode 2026 is on: the frame is not complete.
  [[nodiscard]] bool synchronized_output() const;
  [[nodiscard]] std::size_t memory_bytes() const;

  // RowSource, always the primary screen and its history.
  [[nodiscard]] std::uint32_t epoch() const override;
  [[nodiscard]] std::uint16_t cols() const override;
  [[nodiscard]] bool alternate_active() const override;
  [[nodiscard]] Sequence oldest() const override;
  [[nodiscard]] Sequence newest() const override;
  [[nodiscard]] Cursor cursor() const override;
  [[nodiscard]] Sequence finished_end() const override;
  [[nodiscard]] std::optional<Sequence> row_at_or_after(Sequence seq) const override;
  [[nodiscard]] std::optional<Sequence> row_before(Sequence seq) const override;
  [[nodiscard]] RowText row(Sequence seq, std::uint32_t from_col = 0) const override;
  Sequence append_rows(Sequence from, Sequence end, std::size_t max_bytes, std::string& text,
                       std::vector<RowPiece>& rows) const override;
  [[nodiscard]] RowText row_cells(Sequence seq, std::uint32_t from_col,
                                  std::uint32_t to_col) const override;
  [[nodiscard]] std::string row_ansi(Sequence seq, std::uint32_t from_col = 0) const override;
  [[nodiscard]] std::uint32_t column_of_byte(Sequence seq, std::size_t byte) const override;
  [[nodiscard]] std::optional<LinePosition> position(const Cursor& cursor) const override;
  [[nodiscard]] std::optional<Cursor> locate(const LinePosition& position) const override;

 private:
  std::unique_ptr<ScreenImpl> impl_;
};

}  // namespace troupe::terminal
