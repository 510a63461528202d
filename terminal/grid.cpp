// SPDX-License-Identifier: MIT
#include "terminal/grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace troupe::terminal {

Grid::Grid(std::uint32_t cols, std::uint32_t rows) : cols_(cols), rows_(rows) {}

// Where a border at `x` cuts a wide character, both halves become blanks.
void Grid::split_wide(Row& row, std::uint32_t x, const Attributes& fill) {
  if (x == 0 || x >= row.used || !row.cells[x].is_tail()) {
    return;
  }
  row.cells[x - 1] = blank_cell(fill);
  row.cells[x] = blank_cell(fill);
}

void Grid::clear_cells(Row& row, std::uint32_t left, std::uint32_t right, const Attributes& fill) {
  if (left >= right) {
    return;
  }
  const bool plain = fill == Attributes{};
  const std::uint32_t end = plain ? std::min(right, row.used) : right;
  if (left >= end) {
    return;
  }
  if (!row.cells) {
    row.cells = std::make_unique<Cell[]>(cols_);
  }
  std::fill(row.cells.get() + left, row.cells.get() + end, blank_cell(fill));
  work += end - left;
  if (plain && end == row.used) {
    row.used = left;
  } else if (row.used < end) {
    row.used = end;
  }
}

void Grid::erase(std::uint32_t y, std::uint32_t left, std::uint32_t right, const Attributes& fill,
                 Erase what) {
  Row& r = row(y);
  right = std::min(right, cols_);
  if (left >= right) {
    return;
  }
  ++work;
  if (what == Erase::all) {
    split_wide(r, left, fill);
    split_wide(r, right, fill);
    clear_cells(r, left, right, fill);
    return;
  }
  // Both halves of a wide character carry the same protection, so they go or stay together.
  for (std::uint32_t x = left; x < right; ++x) {
    if ((r.at(x).attributes.flags & attribute::protect) == 0) {
      split_wide(r, x, fill);
      split_wide(r, x + 1, fill);
      clear_cells(r, x, x + 1, fill);
    }
  }
}

void Grid::reset_row(std::uint32_t y, const Attributes& fill, Erase what) {
  erase(y, 0, cols_, fill, what);
  row(y).continues = false;
  row(y).cut.reset();
}

void Grid::insert_cells(std::uint32_t y, std::uint32_t left, std::uint32_t right,
                        std::uint32_t count, const Attributes& fill) {
  Row& r = row(y);
  if (left >= right) {
    return;
  }
  count = std::min(count, right - left);
  if (left > 0 && r.at(left).is_tail()) {
    r.cells[left - 1] = blank_cell(fill);
    r.cells[left] = blank_cell(r.cells[left].attributes);
  }
  split_wide(r, right, fill);
  split_wide(r, right - count, fill);
  if (r.used <= left && fill == Attributes{}) {
    return;
  }
  Cell* cells = writable(y, right);
  std::move_backward(cells + left, cells + (right - count), cells + right);
  std::fill(cells + left, cells + left + count, blank_cell(fill));
  work += right - left;
}

void Grid::delete_cells(std::uint32_t y, std::uint32_t left, std::uint32_t right,
                        std::uint32_t count, const Attributes& fill) {
  Row& r = row(y);
  if (left >= right) {
    return;
  }
  count = std::min(count, right - left);
  split_wide(r, left, fill);
  split_wide(r, left + count, fill);
  split_wide(r, right, fill);
  if (r.used <= left && fill == Attributes{}) {
    return;
  }
  Cell* cells = writable(y, right);
  std::move(cells + left + count, cells + right, cells + left);
  std::fill(cells + (right - count), cells + right, blank_cell(fill));
  work += right - left;
}

void Grid::scroll_up(std::uint32_t top, std::uint32_t bottom, std::uint32_t count,
                     const Attributes& fill) {
  if (top >= bottom) {
    return;
  }
  count = std::min(count, bottom - top);
  if (top == 0 && bottom == rows()) {
    head_ = (head_ + count) % rows_.size();
  } else {
    for (std::uint32_t y = top; y + count < bottom; ++y) {
      std::swap(row(y), row(y + count));
    }
    work += bottom - top;
  }
  for (std::uint32_t y = bottom - count; y < bottom; ++y) {
    reset_row(y, fill);
  }
}

void Grid::scroll_down(std::uint32_t top, std::uint32_t bottom, std::uint32_t count,
                       const Attributes& fill) {
  if (top >= bottom) {
    return;
  }
  count = std::min(count, bottom - top);
  if (top == 0 && bottom == rows()) {
    head_ = (head_ + rows_.size() - count) % rows_.size();
  } else {
    for (std::uint32_t y = bottom; y-- > top + count;) {
      std::swap(row(y), row(y - count));
    }
    work += bottom - top;
  }
  for (std::uint32_t y = top; y < top + count; ++y) {
    reset_row(y, fill);
  }
}

void Grid::shift_rectangle(const Rectangle& area, std::int64_t up, const Attributes& fill) {
  if (area.left >= area.right || area.top >= area.bottom || up == 0) {
    return;
  }
  const auto height = area.bottom - area.top;
  const auto count = static_cast<std::uint32_t>(std::min<std::int64_t>(std::abs(up), height));
  for (std::uint32_t y = area.top; y < area.bottom; ++y) {
    split_wide(row(y), area.left, fill);
    split_wide(row(y), area.right, fill);
  }
  const auto copy = [&](std::uint32_t to, std::uint32_t from) {
    const Row& source = row(from);
    if (source.used <= area.left && row(to).used <= area.left) {
      return;
    }
    const Cell* in = writable(from, area.right);
    std::copy(in + area.left, in + area.right, writable(to, area.right) + area.left);
    work += area.right - area.left;
  };
  const auto clear = [&](std::uint32_t y) { clear_cells(row(y), area.left, area.right, fill); };
  if (up > 0) {
    for (std::uint32_t y = area.top; y + count < area.bottom; ++y) {
      copy(y, y + count);
    }
    for (std::uint32_t y = area.bottom - count; y < area.bottom; ++y) {
      clear(y);
    }
  } else {
    for (std::uint32_t y = area.bottom; y-- > area.top + count;) {
      copy(y, y - count);
    }
    for (std::uint32_t y = area.top; y < area.top + count; ++y) {
      clear(y);
    }
  }
}

void Grid::straighten() {
  std::rotate(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(head_), rows_.end());
  head_ = 0;
}

// The cells of a row with those that an earlier narrowing cut off.
Row::Cut Grid::whole_row(Row& row) const {
  Row::Cut cells(cols_);
  std::copy(row.cells.get(), row.cells.get() + row.used, cells.begin());
  if (!row.cut) {
    return cells;
  }
  Row::Cut& cut = *row.cut;
  if (cut[0].is_wide() && (cut.size() == 1 || !cut[1].is_tail())) {
    const bool free = cells.back().unwritten();
    cells.back() = free ? cut[0] : cells.back();
    cut[0] = free ? Cell{Cell::wide_tail, cut[0].attributes} : Cell{};
  }
  cells.insert(cells.end(), cut.begin(), cut.end());
  row.cut.reset();
  return cells;
}

void Grid::set_cols(std::uint32_t cols) {
  for (Row& r : rows_) {
    if (!r.cells) {
      continue;
    }
    Row::Cut cells = whole_row(r);
    cells.resize(std::max<std::size_t>(cells.size(), cols));
    Row::Cut cut(cells.begin() + cols, cells.end());
    if (cells[cols - 1].is_wide()) {
      if (!cut.empty()) {
        cut[0] = cells[cols - 1];
      }
      cells[cols - 1] = Cell{};
    }
    while (!cut.empty() && cut.back() == Cell{}) {
      cut.pop_back();
    }
    if (cols < cols_ && !cut.empty()) {
      cut.shrink_to_fit();
      r.cut = std::make_unique<Row::Cut>(std::move(cut));
    }
    r.cells = std::make_unique<Cell[]>(cols);
    std::copy(cells.begin(), cells.begin() + cols, r.cells.get());
    r.used = cols;
    while (r.used > 0 && r.cells[r.used - 1] == Cell{}) {
      --r.used;
    }
  }
  cols_ = cols;
}

void Grid::drop_top(std::uint32_t count) {
  straighten();
  rows_.erase(rows_.begin(), rows_.begin() + count);
}

void Grid::drop_bottom(std::uint32_t count) {
  straighten();
  rows_.resize(rows_.size() - count);
}

void Grid::add_bottom(std::uint32_t count) {
  straighten();
  rows_.resize(rows_.size() + count);
}

void Grid::add_top(std::vector<Row> rows) {
  straighten();
  rows_.insert(rows_.begin(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
}

void Grid::assign(std::uint32_t cols, std::vector<Row> rows) {
  cols_ = cols;
  rows_ = std::move(rows);
  head_ = 0;
}

std::size_t Grid::memory_bytes() const {
  std::size_t bytes = rows_.capacity() * sizeof(Row);
  for (const Row& r : rows_) {
    bytes += r.cells ? cols_ * sizeof(Cell) : 0;
    bytes += r.cut ? sizeof(Row::Cut) + r.cut->capacity() * sizeof(Cell) : 0;
  }
  return bytes;
}

}  // namespace troupe::terminal
