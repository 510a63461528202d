// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What readers of a terminal's text (journal, text reads, waits, search) may ask of the screen.
/// It always answers from the *primary* screen and its history, also while a full-screen program
/// shows the alternate one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cursor.hpp"

namespace troupe::terminal {

/// A lasting name of a place in the text: a logical line (soft-wrapped rows joined) and a cell
/// within it, counted over all its rows. It moves with its text when the width changes; line ids
/// grow from the oldest line to the newest and are never reused.
struct LinePosition {
  std::uint64_t line = 0;
  std::uint64_t cell = 0;
  auto operator<=>(const LinePosition&) const = default;
};

/// One row's text. The views of a returned row are the caller's own.
struct RowText {
  Sequence seq = 0;
  std::string text;  ///< UTF-8 of cells from_col … used; blanks of unwritten cells as spaces
  std::uint32_t used = 0;  ///< cells covered by text (a wide character counts two)
  bool wrapped = false;    ///< soft wrap: the next row continues this logical line, no newline
};

/// Where a row begins in a text that several rows were appended to.
struct RowPiece {
  Sequence seq = 0;
  std::size_t at = 0;
};

/// Read access to the primary screen and history.
///
/// Threads: that of the terminal value.
/// Invariants: rows are in order of `seq`, numbers may have gaps; `oldest() <= cursor().seq`.
class RowSource {
 public:
  virtual ~RowSource() = default;

  [[nodiscard]] virtual std::uint32_t epoch() const = 0;
  [[nodiscard]] virtual std::uint16_t cols() const = 0;
  [[nodiscard]] virtual bool alternate_active() const = 0;

  /// The oldest retained row, and the last row of the screen.
  [[nodiscard]] virtual Sequence oldest() const = 0;
  [[nodiscard]] virtual Sequence newest() const = 0;
  /// The primary screen's cursor; `col == cols()` in a pending wrap.
  [[nodiscard]] virtual Cursor cursor() const = 0;

  /// During `ScreenEvents::line_finished`: the row that the cursor was in after the line feed. Text
  /// may have followed already, and have wrapped.
  [[nodiscard]] virtual Sequence finished_end() const { return cursor().seq; }

  /// The first existing row at or after `seq`; nothing beyond `newest()`.
  [[nodiscard]] virtual std::optional<Sequence> row_at_or_after(Sequence seq) const = 0;
  /// The last existing row before `seq`; nothing before `oldest()`.
  [[nodiscard]] virtual std::optional<Sequence> row_before(Sequence seq) const = 0;

  /// The row's text from cell `from_col` (a column inside a wide character starts after it).
  /// Trailing blanks are trimmed, except: a wrapped row keeps all its cells, and on the cursor's
  /// row blanks up to the cursor are kept. `seq` must exist.
  [[nodiscard]] virtual RowText row(Sequence seq, std::uint32_t from_col = 0) const = 0;
  /// Appends rows, each as `row` gives it, and a newline where no soft wrap goes on: from `from`
  /// (which must exist) to before `end`, or until `max_bytes` are reached. Returns the row after
  /// the last one.
  virtual Sequence append_rows(Sequence from, Sequence end, std::size_t max_bytes,
                               std::string& text, std::vector<RowPiece>& rows) const {
    const std::size_t stop = text.size() + max_bytes;
    while (from < end && text.size() < stop) {
      RowText next = row(from);
      rows.push_back({from, text.size()});
      text += next.text;
      text += next.wrapped ? "" : "\n";
      from = row_at_or_after(from + 1).value_or(from + 1);
    }
    return from;
  }
  /// As `row`, without trimming, cut at cell `to_col`.
  [[nodiscard]] virtual RowText row_cells(Sequence seq, std::uint32_t from_col,
                                          std::uint32_t to_col) const = 0;
  /// The text of `row` with SGR sequences for its attributes, and behind it the blanks that a look
  /// makes visible (bounded; begins and ends in the default pen).
  [[nodiscard]] virtual std::string row_ansi(Sequence seq, std::uint32_t from_col = 0) const = 0;
  /// The cell column in row `seq` at which byte `byte` of `row(seq).text` begins.
  [[nodiscard]] virtual std::uint32_t column_of_byte(Sequence seq, std::size_t byte) const = 0;

  /// Lasting names. `position` accepts a cursor of an older epoch while its line is retained.
  [[nodiscard]] virtual std::optional<LinePosition> position(const Cursor& cursor) const = 0;
  /// The present coordinate of a lasting name; nothing when its line is evicted.
  [[nodiscard]] virtual std::optional<Cursor> locate(const LinePosition& position) const = 0;
};

}  // namespace troupe::terminal
