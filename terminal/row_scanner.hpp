// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where a wait has read to. Rows that the cursor has left downwards are given to the matcher once;
/// the cursor's row is looked at and stays unread, because it can still change.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cursor.hpp"
#include "terminal/row_source.hpp"
#include "terminal/stream_matcher.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {

enum class Look : std::uint8_t { finished_rows, cursor_row_too };

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
  std::optional<Cursor> look(Look what);

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
  std::optional<Cursor> read_rows_before(Sequence end);
  std::optional<Cursor> look_at_cursor_row(const Cursor& live);
  [[nodiscard]] std::optional<Cursor> look_at_rewritten(Sequence row) const;
  void add_segment(const RowText& row, std::uint32_t col);
  [[nodiscard]] Cursor rewound(Cursor place) const;
  [[nodiscard]] Cursor place_of(std::uint64_t offset) const;

  const RowSource& rows_;
  std::unique_ptr<StreamMatcher> matcher_;
  Cursor first_;            // matches begin here or later
  Cursor next_;             // the first cell that was not read
  std::uint64_t read_ = 0;  // bytes of the stream that were read
  std::deque<Segment> segments_;
  Place first_place_;
  Place next_place_;
};

}  // namespace troupe::terminal
