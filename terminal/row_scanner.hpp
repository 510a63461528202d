// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where a wait has read to. Rows that the cursor has left downwards are given to the matcher once;
/// the cursor's row is looked at and stays unread, because it can still change.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cursor.hpp"
#include "terminal/row_source.hpp"
#include "terminal/stream_matcher.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {

enum class Look : std::uint8_t { finished_rows, cursor_row_too };

/// One look at the rows, shared by all scanners that take it: they stand at the same row nearly
/// always, so its text is made once. Valid until the rows change.
class RowLook {
 public:
  RowLook(const RowSource& rows, Look what);

  [[nodiscard]] Look what() const { return what_; }
  [[nodiscard]] const Cursor& live() const { return live_; }
  /// The row above the cursor's.
  [[nodiscard]] std::optional<Sequence> left() const { return left_; }
  /// Row `seq` from cell `col` on, or nothing where it is gone.
  const RowText* row(Sequence seq, std::uint32_t col);
  /// The row after `seq`.
  Sequence after(Sequence seq);

 private:
  const RowSource& rows_;
  Look what_;
  Cursor live_;
  std::optional<Sequence> left_;
  std::optional<RowText> row_;
  std::uint32_t col_ = 0;
  std::optional<Sequence> after_of_;
  Sequence after_ = 0;
};

/// Scans a terminal's text from a cursor on for one match.
///
/// Threads: that of the terminal value. Borrows the rows.
/// Bounds: the matcher's (64 KiB and a row for an expression), and one entry a row of them.
/// Invariants: a row is read once. A row above the read position that the program went back to and
/// wrote again is looked at on its own when the cursor leaves it by a line feed or rests in it.
class RowScanner {
 public:
  RowScanner(const RowSource& rows, std::unique_ptr<StreamMatcher> matcher, const Cursor& from);

  /// Looks at what is new; where the match ends (exclusive), once there is one. The end
  /// of a match that fills its row is (row, cols).
  std::optional<Cursor> look(RowLook& rows);

  /// Around a width change, which cuts the text into other rows.
  void before_resize();
  void after_resize();

 private:
  struct Segment {
    std::uint64_t offset;  // of the stream, at the segment's start
    Sequence seq;
    std::uint32_t col;
  };

  void start_at(const Cursor& from);
  [[nodiscard]] std::string line_before(const Cursor& place) const;
  std::optional<Cursor> read_rows_before(Sequence end, RowLook& look);
  std::optional<Cursor> look_at_cursor_row(RowLook& look);
  [[nodiscard]] std::optional<Cursor> look_at_rewritten(Sequence row) const;
  void add_segment(const RowText& row, std::uint32_t col);
  [[nodiscard]] Cursor rewound(Cursor place) const;
  [[nodiscard]] Cursor place_of(std::uint64_t offset) const;

  const RowSource& rows_;
  std::unique_ptr<StreamMatcher> matcher_;
  Cursor first_;                   // matches begin here or later
  Cursor next_;                    // the first cell that was not read
  std::uint64_t read_ = 0;         // bytes of the stream that were read
  std::vector<Segment> segments_;  // of the present line
  Place first_place_;
  Place next_place_;
};

}  // namespace troupe::terminal
