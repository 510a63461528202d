// SPDX-License-Identifier: MIT
// Lasting names of places in the text: which logical line, and which cell of it.
#include <algorithm>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {

// Cells that row `y` of the primary screen gives its logical line where it is continued: all, but
// not the blank that a wide character which did not fit left in the last column.
std::uint32_t ScreenImpl::row_length(std::uint32_t y) const {
  const bool next_wide =
      y + 1 < size.rows && primary.row(y + 1).continues && primary.row(y + 1).at(0).is_wide();
  const bool blank = primary.row(y).at(size.cols - 1U).unwritten();
  return next_wide && blank ? size.cols - 1U : size.cols;
}

// Cells of history line `i` up to the end of its last row, which the screen continues.
std::uint32_t ScreenImpl::line_length(std::size_t i) const {
  const Line& line = history.line(i);
  const std::uint32_t start = history.start_of(i, line.rows - 1, size.cols).cell;
  const bool next_wide = primary.row(0).continues && primary.row(0).at(0).is_wide();
  const bool blank = line.cells < start + size.cols || line.text.back() == '\0';
  return line.cut + start + (next_wide && blank ? size.cols - 1U : size.cols);
}

std::optional<LinePosition> ScreenImpl::screen_position(std::uint32_t y, std::uint32_t x) const {
  std::uint64_t cell = x;
  while (primary.row(y).continues && y > 0) {
    --y;
    cell += row_length(y);
  }
  if (!primary.row(y).continues || history.empty() || history.newest() + 1 != names[0].seq) {
    return LinePosition{names[y].id, cell};
  }
  const std::size_t last = history.line_count() - 1;
  return LinePosition{history.line(last).id, line_length(last) + cell};
}

std::optional<LinePosition> ScreenImpl::position(const Cursor& at) const {
  if (at.epoch != epoch) {
    return old_position(at);
  }
  if (const auto y = screen_row(at.seq)) {
    return screen_position(*y, at.col);
  }
  History::Place place;
  if (at.seq < oldest() || !history.find(at.seq, place)) {
    return std::nullopt;
  }
  const Line& line = history.line(place.line);
  const std::uint32_t start = history.start_of(place.line, place.row, size.cols).cell;
  return LinePosition{line.id, std::uint64_t{line.cut} + start + at.col};
}

/// Finds the cell with which a row of a logical line began at another width.
class ScreenImpl::RowFinder {
 public:
  RowFinder(std::uint32_t cols, std::uint32_t row) : cols_(cols), left_(row) {}

  /// The line's next cell; false once the row is found.
  bool take(unsigned width) {
    if (left_ > 0 && x_ + width > cols_) {
      --left_;
      x_ = 0;
    }
    if (left_ == 0) {
      return false;
    }
    x_ += width;
    cell_ += width;
    return true;
  }
  void take_blanks(std::uint64_t count) {
    while (count > 0 && take(1)) {
      --count;
    }
  }
  [[nodiscard]] bool found() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t cell() const { return cell_; }

 private:
  std::uint32_t cols_;
  std::uint32_t left_;  // rows before the one that is sought
  std::uint32_t x_ = 0;
  std::uint64_t cell_ = 0;
};

std::optional<LinePosition> ScreenImpl::old_position(const Cursor& at) const {
  const auto table = std::find_if(old_names.begin(), old_names.end(),
                                  [&](const EpochNames& old) { return old.epoch == at.epoch; });
  if (table == old_names.end() || table->runs.empty() || at.seq < table->runs.front().seq ||
      at.seq >= table->end) {
    return std::nullopt;
  }
  auto run = std::upper_bound(
      table->runs.begin(), table->runs.end(), at.seq,
      [](Sequence seq, const EpochNames::Run& candidate) { return seq < candidate.seq; });
  --run;
  const std::uint64_t offset = at.seq - run->seq;
  const std::uint64_t step = std::min<std::uint64_t>(offset, run->count - 1U);
  LinePosition place{run->id + (step << 16U), 0};
  const auto row = static_cast<std::uint32_t>(std::min<std::uint64_t>(offset - step, UINT32_MAX));
  // Where the row began at the old width: counted over the line's cells as they are now.
  RowFinder finder(table->cols, row);
  std::size_t index = 0;
  if (history.find_line(place.line, index)) {
    const Line& line = history.line(index);
    for (std::size_t byte = 0;
         byte < line.text.size() && finder.take(read_cell(line.text, byte).width);) {
    }
    if (index + 1 == history.line_count() && primary.row(0).continues &&
        history.newest() + 1 == names[0].seq) {
      finder.take_blanks(line_length(index) - line.cut - line.cells);
      find_on_screen(finder, 0);
    }
    place.cell = std::uint64_t{line.cut} + finder.cell() + at.col;
    return place;
  }
  if (const auto y = line_on_screen(place.line)) {
    find_on_screen(finder, *y);
    place.cell = finder.cell() + at.col;
    return place;
  }
  return std::nullopt;
}

// The screen row with which a logical line begins. While a resize goes on, a row that continues a
// line may have the number of the line below.
std::optional<std::uint32_t> ScreenImpl::line_on_screen(std::uint64_t id) const {
  const bool headless = history.empty() || history.newest() + 1 != names[0].seq;
  for (std::uint32_t y = 0; y < size.rows; ++y) {
    if (names[y].id == id && (!primary.row(y).continues || (y == 0 && headless))) {
      return y;
    }
  }
  return std::nullopt;
}

// The cells of the logical line from screen row `y` on.
void ScreenImpl::find_on_screen(RowFinder& finder, std::uint32_t y) const {
  for (;; ++y) {
    const bool continued = y + 1 < size.rows && primary.row(y + 1).continues;
    const std::uint32_t length = continued ? row_length(y) : size.cols;
    std::uint32_t end = 0;
    RowView(primary.row(y), clusters).for_each([&](std::uint32_t x, auto, unsigned width, auto&) {
      end = x + width;
      return end <= length && finder.take(width);
    });
    if (!continued || finder.found()) {
      return;
    }
    finder.take_blanks(length - std::min(end, length));
  }
}

Cursor ScreenImpl::locate_on_screen(std::uint32_t y, std::uint64_t cell) const {
  while (y + 1 < size.rows && primary.row(y + 1).continues && cell >= row_length(y)) {
    cell -= row_length(y);
    ++y;
  }
  return {names[y].seq, static_cast<std::uint32_t>(std::min<std::uint64_t>(cell, size.cols)),
          epoch};
}

std::optional<Cursor> ScreenImpl::locate(const LinePosition& place) const {
  std::size_t index = 0;
  if (!history.find_line(place.line, index)) {
    const auto y = line_on_screen(place.line);
    return y ? std::optional(locate_on_screen(*y, place.cell)) : std::nullopt;
  }
  const Line& line = history.line(index);
  if (place.cell < line.cut) {
    return std::nullopt;
  }
  std::uint64_t cell = place.cell;
  const bool last = index + 1 == history.line_count();
  if (last && primary.row(0).continues && history.newest() + 1 == names[0].seq) {
    const std::uint32_t length = line_length(index);
    if (cell >= length) {
      return locate_on_screen(0, cell - length);
    }
  }
  cell -= line.cut;
  std::uint32_t row = 0;
  RowStart start = history.start_of(index, 0, size.cols);
  while (row + 1 < line.rows) {
    const RowStart next = history.start_of(index, row + 1, size.cols);
    if (next.cell > cell) {
      break;
    }
    start = next;
    ++row;
  }
  if (index == 0 && row < history.skipped()) {
    return std::nullopt;
  }
  const std::uint64_t x = cell - std::min<std::uint64_t>(cell, start.cell);
  return Cursor{line.seq + row, static_cast<std::uint32_t>(std::min<std::uint64_t>(x, size.cols)),
                epoch};
}

}  // namespace troupe::terminal
