// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The cells of one screen. Rows are mapped through a ring, so that a line feed moves no cells, and
/// a row's cells are allocated when it is first written, so that an idle terminal costs little.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "terminal/cell.hpp"

namespace troupe::terminal {

/// One row. Cells at and beyond `used` are `Cell{}`.
struct Row {
  /// Cells behind the last column, which a row that was made narrower gets back when it is made
  /// wider. The first half of a wide character that the edge cut stands there for both.
  using Cut = std::vector<Cell>;

  std::unique_ptr<Cell[]> cells;
  std::uint32_t used = 0;
  bool continues = false;    ///< it continues the row above (soft wrap)
  std::unique_ptr<Cut> cut;  ///< none: all blank

  [[nodiscard]] Cell at(std::uint32_t x) const { return x < used ? cells[x] : Cell{}; }
  /// Columns up to the last written cell; what only has a background does not count.
  [[nodiscard]] std::uint32_t content_length() const {
    std::uint32_t n = used;
    while (n > 0 && cells[n - 1].unwritten()) {
      --n;
    }
    return n;
  }
  /// All cells that anything is kept in.
  template <typename Visit>
  void for_each_cell(Visit&& visit) const {
    std::for_each(cells.get(), cells.get() + used, visit);
    if (cut) {
      std::for_each(cut->begin(), cut->end(), visit);
    }
  }
};

/// A rectangle of cells; ends are exclusive.
struct Rectangle {
  std::uint32_t top = 0;
  std::uint32_t bottom = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

enum class Erase : std::uint8_t { all, unprotected };

/// Threads: that of its owner. Bounds: cols * rows cells of 16 bytes, and as many again as it had
/// before it was made narrower.
/// Invariants: no half of a wide character stands alone after any function.
/// `work` counts the cells touched.
class Grid {
 public:
  Grid(std::uint32_t cols, std::uint32_t rows);

  [[nodiscard]] std::uint32_t cols() const { return cols_; }
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(rows_.size()); }
  [[nodiscard]] const Row& row(std::uint32_t y) const { return rows_[index(y)]; }
  [[nodiscard]] Row& row(std::uint32_t y) { return rows_[index(y)]; }

  /// The row's cells for writing in columns below `end`.
  Cell* writable(std::uint32_t y, std::uint32_t end) {
    Row& r = row(y);
    if (!r.cells) {
      r.cells = std::make_unique<Cell[]>(cols_);
    }
    if (r.used < end) {
      r.used = end;
    }
    return r.cells.get();
  }

  /// Cells become unwritten with the background of `fill`; halves that remain of wide characters
  /// at the borders too.
  void erase(std::uint32_t y, std::uint32_t left, std::uint32_t right, const Attributes& fill,
             Erase what = Erase::all);
  /// The whole row, soft wrap included.
  void reset_row(std::uint32_t y, const Attributes& fill, Erase what = Erase::all);
  /// Takes the row away; a blank one is left.
  Row take_row(std::uint32_t y) { return std::exchange(row(y), Row{}); }
  /// Moves cells of [left, right) to the right (or left) by `count`; uncovered ones are filled.
  void insert_cells(std::uint32_t y, std::uint32_t left, std::uint32_t right, std::uint32_t count,
                    const Attributes& fill);
  void delete_cells(std::uint32_t y, std::uint32_t left, std::uint32_t right, std::uint32_t count,
                    const Attributes& fill);
  /// Moves whole rows of [top, bottom) up or down by `count`; uncovered ones are filled.
  void scroll_up(std::uint32_t top, std::uint32_t bottom, std::uint32_t count,
                 const Attributes& fill);
  void scroll_down(std::uint32_t top, std::uint32_t bottom, std::uint32_t count,
                   const Attributes& fill);
  /// The same for a part of the columns.
  void shift_rectangle(const Rectangle& area, std::int64_t up, const Attributes& fill);

  /// Another number of columns. Columns that go are kept until a wider row has taken what it has
  /// room for, or the row is erased.
  void set_cols(std::uint32_t cols);
  void drop_top(std::uint32_t count);
  void drop_bottom(std::uint32_t count);
  void add_bottom(std::uint32_t count);
  void add_top(std::vector<Row> rows);
  /// Replaces everything (after a reflow).
  void assign(std::uint32_t cols, std::vector<Row> rows);

  [[nodiscard]] std::size_t memory_bytes() const;

  std::uint64_t work = 0;

 private:
  [[nodiscard]] std::size_t index(std::uint32_t y) const {
    const std::size_t i = head_ + y;
    return i < rows_.size() ? i : i - rows_.size();
  }
  void straighten();
  Row::Cut whole_row(Row& row) const;
  void split_wide(Row& row, std::uint32_t x, const Attributes& fill);
  void clear_cells(Row& row, std::uint32_t left, std::uint32_t right, const Attributes& fill);

  std::uint32_t cols_;
  std::vector<Row> rows_;
  std::size_t head_ = 0;
};

}  // namespace troupe::terminal
