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
#include "terminal/shared_rows.hpp"
#include "terminal/stream_matcher.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {

enum class Look : std::uint8_t { finished_rows, cursor_row_too };

/// A row and what of its logical line stands before it, fetched once for all who look at it.
struct WholeRow {
  Sequence seq = 0;
  std::string line;        ///< what stands before, and the row
  std::size_t before = 0;  ///< bytes of the former
};

/// The row `seq`, which must exist.
[[nodiscard]] WholeRow whole_row(const RowSource& rows, Sequence seq);

/// Scans a terminal's text from a cursor on for one match. One that stands where the shared rows do
/// joins them, and is given their pieces instead of reading by itself.
///
/// Threads: that of the terminal value. Borrows the rows.
/// Bounds: the matcher's (64 KiB and a row for an expression), and one entry a row of them.
/// Invariants: a row is read once. A row above the read position that the program went back to and
/// wrote again is looked at on its own when the cursor leaves it by a line feed or rests in it.
class RowScanner {
 public:
  RowScanner(const RowSource& rows, std::unique_ptr<StreamMatcher> matcher, const Cursor& from);

  /// Looks at what is new before row `end`, or at that row too, in which the cursor is then; where
  /// the match ends (exclusive), once there is one. The end of a match that fills its row is
  /// (row, cols).
  std::optional<Cursor> look(Look what, Sequence end, SharedRows& shared);

  [[nodiscard]] bool joined() const { return joined_; }
  /// Joins where `shared` reads on, if this scan stands there too.
  void join(const SharedRows& shared);
  /// Reads by itself from now on.
  void leave() { joined_ = false; }
  /// The next column and row to read.
  [[nodiscard]] const Cursor& next() const { return next_; }

  // What `look` does, for one that has joined, with text that is fetched for all.
  std::optional<Cursor> take(const SharedRows& shared, const Hints& hints);
  std::optional<Cursor> peek_row(const RowText& row, Verdict verdict);
  [[nodiscard]] std::optional<Cursor> find_in(const WholeRow& row) const;

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
  std::optional<Cursor> read_rows_before(Sequence end, SharedRows& shared);
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
  bool joined_ = false;
  std::uint64_t base_ = 0;       // the shared stream's offset where ours is 0
  std::uint64_t joined_at_ = 0;  // our offset when we joined
  Cursor joined_place_;
  const SharedRows* shared_ = nullptr;
  Place first_place_;
  Place next_place_;
};

}  // namespace troupe::terminal
