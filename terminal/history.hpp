// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The rows that left the screen, kept as logical lines (soft-wrapped rows joined) of text and
/// attribute runs: ten thousand lines cost about their text, and a width change only counts rows
/// anew.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cursor.hpp"
#include "terminal/cell.hpp"
#include "terminal/grid.hpp"
#include "terminal/tables.hpp"

namespace troupe::terminal {

/// `cells` cells in a row that look the same.
struct StyleRun {
  std::uint32_t cells = 0;
  Attributes attributes;
};

/// One logical line. In `text` NUL stands for an unwritten cell, and `\x01 WIDTH LENGTH bytes` for
/// a cluster whose width is not what the width table gives its code points.
struct Line {
  std::string text;
  std::unique_ptr<std::vector<StyleRun>> runs;  ///< none: all cells look default
  std::uint64_t id = 0;
  Sequence seq = 0;           ///< of its first row
  std::uint32_t rows = 1;     ///< at the present width
  std::uint32_t cells = 0;    ///< all cells in text
  std::uint32_t content = 0;  ///< cells up to the last written one
  std::uint32_t cut = 0;      ///< cells that were cut off its head
  bool plain = true;          ///< one byte, one cell: no wide, combining or other characters
  bool wide = false;          ///< holds wide characters, so rows may end one cell early
  bool continues = false;     ///< its first row continues what stood before it

  [[nodiscard]] std::size_t bytes() const {
    return sizeof(Line) + text.capacity() +
           (runs ? runs->capacity() * sizeof(StyleRun) + sizeof(*runs) : 0);
  }
};

/// A position inside a line's text: the start of one of its rows.
struct RowStart {
  std::size_t byte = 0;
  std::uint32_t cell = 0;
};

/// One cell of a line: its text (empty where unwritten), width and look.
struct LineCell {
  std::string_view text;
  unsigned width = 1;
};

/// The cell at `byte` of a line's text; moves `byte` behind it.
[[nodiscard]] LineCell read_cell(std::string_view text, std::size_t& byte);

/// Appends the row's cells [0, end) to the line. `clusters` gives the text of cluster cells.
void append_cells(Line& line, const Row& row, std::uint32_t end, const ClusterTable& clusters);

/// Rows that the line's content takes at `cols` columns, at least one.
[[nodiscard]] std::uint32_t count_rows(const Line& line, std::uint32_t cols);
/// Where row `row` begins; the text's end where the content is shorter. `start` is where row `at`
/// before it begins.
[[nodiscard]] RowStart row_start(const Line& line, std::uint32_t cols, std::uint32_t row,
                                 RowStart start = {}, std::uint32_t at = 0);
/// Decodes the row that begins at `start` into cells.
void decode_row(const Line& line, RowStart start, std::uint32_t cols, ClusterTable& clusters,
                Row& out);

/// Walks the looks of a line's cells from cell `first` on.
class StyleReader {
 public:
  StyleReader(const Line& line, std::uint32_t first) : runs_(line.runs.get()) {
    while (runs_ != nullptr && run_ < runs_->size() && (*runs_)[run_].cells <= first) {
      first -= (*runs_)[run_++].cells;
    }
    used_ = first;
  }
  /// The look of the next cell, which takes `width` columns.
  const Attributes& take(unsigned width) {
    static constexpr Attributes plain;
    if (runs_ == nullptr || run_ >= runs_->size()) {
      return plain;
    }
    const StyleRun& run = (*runs_)[run_];
    used_ += width;
    if (used_ >= run.cells) {
      used_ -= run.cells;
      ++run_;
    }
    return run.attributes;
  }

 private:
  const std::vector<StyleRun>* runs_;
  std::size_t run_ = 0;
  std::uint32_t used_ = 0;
};

/// The lines above the primary screen, oldest first.
///
/// Threads: that of its owner.
/// Bounds: `max_rows` rows and `max_bytes` bytes; the oldest rows go first, also out of the middle
/// of a line. A logical line longer than `max_line_bytes` is stored in pieces, so that no operation
/// on one line is long.
/// Invariants: line ids and sequences grow.
class History {
 public:
  static constexpr std::size_t max_line_bytes = 256 * 1024;

  History(std::size_t max_rows, std::size_t max_bytes)
      : max_rows_(max_rows), max_bytes_(max_bytes) {}

  struct RowName {
    Sequence seq = 0;
    std::uint64_t id = 0;
  };

  /// Takes the row that leaves the screen at its top. Without `trim` the bounds are not looked at.
  enum class Trim : std::uint8_t { no, yes };
  void push(const Row& row, RowName name, std::uint32_t cols, const ClusterTable& clusters,
            Trim trim_after = Trim::yes);
  /// Takes the newest row back; false where there is none.
  bool pop(std::uint32_t cols, ClusterTable& clusters, Row& row, RowName& name);
  void clear();

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::size_t line_count() const { return lines_.size(); }
  [[nodiscard]] const Line& line(std::size_t i) const { return lines_[i]; }
  [[nodiscard]] Line& line(std::size_t i) { return lines_[i]; }
  /// Rows at the head of the oldest line that are already evicted.
  [[nodiscard]] std::uint32_t skipped() const { return skipped_; }
  [[nodiscard]] Sequence oldest() const { return lines_.front().seq + skipped_; }
  [[nodiscard]] Sequence newest() const { return lines_.back().seq + lines_.back().rows - 1; }

  struct Place {
    std::size_t line = 0;
    std::uint32_t row = 0;
  };
  /// The row named `seq`, else the first one after it; false where all are older.
  bool find(Sequence seq, Place& place) const;
  /// The line with this id; false where it is not here.
  bool find_line(std::uint64_t id, std::size_t& index) const;
  /// `row_start` with the last answer remembered, so that reading forward is not quadratic.
  [[nodiscard]] RowStart start_of(std::size_t line, std::uint32_t row, std::uint32_t cols) const;

  /// Counts all rows for another width and names them anew from `first`; returns the number after
  /// the last one. A line whose number of rows changes loses what only had a background behind its
  /// text; blank rows at its end go when it gets wider. Both as in xterm.js.
  Sequence rewrap(std::uint32_t old_cols, std::uint32_t cols, Sequence first);
  /// Evicts beyond the bounds.
  void trim();

  [[nodiscard]] std::size_t memory_bytes() const { return bytes_; }

 private:
  void drop_front();
  void forget() {
    last_ = {};
    tail_.reset();
  }
  static void cut_tail(Line& line, RowStart start);
  static void keep_background(Line& line, RowStart old_row, RowStart new_row, std::uint32_t cols);
  static void rewrap_line(Line& line, std::uint32_t old_cols, std::uint32_t cols);
  static void drop_padding(Line& line, std::uint32_t cols);
  void cut_skipped(std::uint32_t cols);

  std::deque<Line> lines_;
  std::size_t max_rows_;
  std::size_t max_bytes_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t skipped_ = 0;
  std::string spare_text_;  // of a line that was dropped
  struct Memory {
    std::size_t line = SIZE_MAX;
    std::uint32_t row = 0;
    std::uint32_t cols = 0;
    RowStart start;
  };
  mutable Memory last_;
  std::optional<RowStart>
      tail_;  ///< where the newest row begins, so that a long line grows cheaply
};

}  // namespace troupe::terminal
