// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The rows that the cursor left downwards, read once for all who scan them: hundreds of waits on
/// one terminal read its output once, not hundreds of times.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cursor.hpp"
#include "terminal/row_source.hpp"

namespace troupe::terminal {

/// The place of byte `byte` in row `seq`, counted from column `col` on.
[[nodiscard]] Cursor place_in_row(const RowSource& rows, Sequence seq, std::uint32_t col,
                                  std::size_t byte);

/// A stream of finished rows in pieces.
///
/// Threads: that of the terminal value. Borrows the rows.
/// Bounds: one piece of 64 KiB and a row, and one entry a row of about the last 256 KiB.
/// Invariants: a row is read once; `next().col` is 0.
class SharedRows {
 public:
  explicit SharedRows(const RowSource& rows) : rows_(rows) {}

  /// Row `seq` from cell `col` on, or nothing where it is gone. Scans that have not joined stand at
  /// the same place nearly always, so it is kept until another is asked for.
  const RowText* row(Sequence seq, std::uint32_t col);
  /// The rows may have changed since `row` looked.
  void forget_row() { row_.reset(); }

  /// Begins anew with row `next`.
  void restart(const Cursor& next);
  /// The first row that was not read.
  [[nodiscard]] const Cursor& next() const { return next_; }
  /// The next row is still there: what was read and what comes are one text.
  [[nodiscard]] bool continues() const { return rows_.row_at_or_after(next_.seq) == next_.seq; }

  /// Reads the next piece of what stands before row `end`; false where nothing is left.
  bool read_before(Sequence end);
  /// The piece that was read last, with newlines for hard line ends.
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The stream offset behind it.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  /// The place of a stream offset in what was read lately.
  [[nodiscard]] Cursor place_of(std::uint64_t offset) const;

 private:
  struct Segment {
    std::uint64_t offset;
    Sequence seq;
  };

  const RowSource& rows_;
  Cursor next_;
  std::uint64_t offset_ = 0;
  std::string text_;
  std::vector<RowPiece> pieces_;
  std::vector<Segment> segments_;
  std::optional<RowText> row_;
  std::uint32_t col_ = 0;
};

}  // namespace troupe::terminal
