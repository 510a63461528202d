// SPDX-License-Identifier: MIT
#include "terminal/history.hpp"

#include <algorithm>

namespace troupe::terminal {
namespace {

// Cells of a row that a line must keep: up to the last one that is not `Cell{}`.
std::uint32_t kept_cells(const Row& row) {
  std::uint32_t n = row.used;
  while (n > 0 && row.cells[n - 1] == Cell{}) {
    --n;
  }
  return n;
}

void add_blanks(Line& line, std::uint32_t count) {
  line.text.append(count, '\0');
  line.cells += count;
  if (line.runs) {
    line.runs->push_back({count, Attributes{}});
  }
}

void shorten_runs(Line& line, std::uint32_t cells) {
  if (!line.runs) {
    return;
  }
  std::uint32_t total = 0;
  auto& runs = *line.runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (total + runs[i].cells >= cells) {
      runs[i].cells = cells - total;
      runs.resize(runs[i].cells == 0 ? i : i + 1);
      return;
    }
    total += runs[i].cells;
  }
}

// A row that is continued counts all its columns, but not the blank that a wide character which did
// not fit left in the last one.
void fill_last_row(Line& line, const Row& next, std::uint32_t cols) {
  const RowStart start = row_start(line, cols, line.rows - 1);
  std::uint32_t end = start.cell + cols;
  if (next.used > 0 && next.cells[0].is_wide()) {
    const bool blank = line.cells < end || line.text.back() == '\0';
    end -= blank ? 1U : 0U;
  }
  if (line.cells > end) {
    line.text.pop_back();
    line.cells = end;
    shorten_runs(line, end);
  } else if (line.cells < end) {
    add_blanks(line, end - line.cells);
  }
  line.content = line.cells;
}

}  // namespace

void History::push(const Row& row, RowName name, std::uint32_t cols, const ClusterTable& clusters,
                   Trim trim_after) {
  forget();
  const bool joins = row.continues && !lines_.empty() &&
                     lines_.back().text.size() < max_line_bytes &&
                     lines_.back().seq + lines_.back().rows == name.seq;
  if (!joins) {
    if (!lines_.empty() && lines_.back().text.capacity() > lines_.back().text.size() + 64) {
      bytes_ -= lines_.back().bytes();
      lines_.back().text.shrink_to_fit();
      bytes_ += lines_.back().bytes();
    }
    Line& fresh = lines_.emplace_back();
    fresh.text = std::move(spare_text_);
    fresh.text.clear();
    spare_text_ = {};
    fresh.id = name.id;
    fresh.seq = name.seq;
    fresh.rows = 0;
    fresh.continues = row.continues;
  }
  Line& line = lines_.back();
  bytes_ -= joins ? line.bytes() : 0;
  if (joins) {
    fill_last_row(line, row, cols);
  }
  const std::uint32_t before = line.cells;
  const std::uint32_t end = kept_cells(row);
  append_cells(line, row, end, clusters);
  line.content = before + std::min(end, row.content_length());
  ++line.rows;
  ++rows_;
  bytes_ += line.bytes();
  if (trim_after == Trim::yes && (rows_ > max_rows_ || bytes_ > max_bytes_)) {
    trim();
  }
}

void History::cut_tail(Line& line, RowStart start) {
  line.text.resize(start.byte);
  line.cells = start.cell;
  line.content = std::min(line.content, start.cell);
  shorten_runs(line, start.cell);
}

bool History::pop(std::uint32_t cols, ClusterTable& clusters, Row& row, RowName& name) {
  if (lines_.empty()) {
    return false;
  }
  forget();
  Line& line = lines_.back();
  const std::uint32_t r = line.rows - 1;
  const RowStart start = row_start(line, cols, r);
  decode_row(line, start, cols, clusters, row);
  row.continues = r > 0 || line.continues;
  name = {line.seq + r, line.id + r};
  bytes_ -= line.bytes();
  --rows_;
  if (r == 0 || (lines_.size() == 1 && r == skipped_)) {
    lines_.pop_back();
    skipped_ = lines_.empty() ? 0 : skipped_;
    return true;
  }
  cut_tail(line, start);
  --line.rows;
  bytes_ += line.bytes();
  return true;
}

void History::clear() {
  forget();
  lines_.clear();
  lines_.shrink_to_fit();
  rows_ = 0;
  bytes_ = 0;
  skipped_ = 0;
}

void History::drop_front() {
  rows_ -= lines_.front().rows - skipped_;
  bytes_ -= lines_.front().bytes();
  // In steady output each new line finds the memory of the one that left.
  constexpr std::size_t ordinary = 512;
  if (lines_.front().text.capacity() <= ordinary) {
    spare_text_ = std::move(lines_.front().text);
  }
  skipped_ = 0;
  lines_.pop_front();
}

void History::trim() {
  forget();
  while (!lines_.empty() && bytes_ > max_bytes_) {
    drop_front();
  }
  while (rows_ > max_rows_) {
    const auto excess = static_cast<std::uint32_t>(rows_ - max_rows_);
    if (lines_.front().rows - skipped_ <= excess) {
      drop_front();
    } else {
      skipped_ += excess;
      rows_ -= excess;
    }
  }
}

bool History::find(Sequence seq, Place& place) const {
  if (lines_.empty() || newest() < seq) {
    return false;
  }
  if (seq <= oldest()) {
    place = {0, skipped_};
    return true;
  }
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), seq,
                                      [](Sequence s, const Line& line) { return s < line.seq; });
  const auto index = static_cast<std::size_t>(after - lines_.begin()) - 1;
  const Sequence offset = seq - lines_[index].seq;
  place = offset < lines_[index].rows ? Place{index, static_cast<std::uint32_t>(offset)}
                                      : Place{index + 1, 0};
  return true;
}

bool History::find_line(std::uint64_t id, std::size_t& index) const {
  const auto at = std::lower_bound(lines_.begin(), lines_.end(), id,
                                   [](const Line& line, std::uint64_t i) { return line.id < i; });
  if (at == lines_.end() || at->id != id) {
    return false;
  }
  index = static_cast<std::size_t>(at - lines_.begin());
  return true;
}

RowStart History::start_of(std::size_t line, std::uint32_t row, std::uint32_t cols) const {
  const bool usable = last_.line == line && last_.cols == cols && last_.row <= row;
  const RowStart start = usable ? row_start(lines_[line], cols, row, last_.start, last_.row)
                                : row_start(lines_[line], cols, row);
  last_ = {line, row, cols, start};
  return start;
}

void History::cut_skipped(std::uint32_t cols) {
  if (skipped_ == 0) {
    return;
  }
  Line& line = lines_.front();
  bytes_ -= line.bytes();
  const RowStart start = row_start(line, cols, skipped_);
  line.text.erase(0, start.byte);
  if (line.runs) {
    std::uint32_t cells = start.cell;
    std::size_t whole = 0;
    while (whole < line.runs->size() && (*line.runs)[whole].cells <= cells) {
      cells -= (*line.runs)[whole++].cells;
    }
    line.runs->erase(line.runs->begin(), line.runs->begin() + static_cast<std::ptrdiff_t>(whole));
    if (!line.runs->empty()) {
      line.runs->front().cells -= cells;
    }
  }
  line.cells -= start.cell;
  line.content -= std::min(line.content, start.cell);
  line.cut += start.cell;
  line.rows -= skipped_;
  line.seq += skipped_;
  line.continues = true;
  skipped_ = 0;
  bytes_ += line.bytes();
}

Sequence History::rewrap(std::uint32_t old_cols, std::uint32_t cols, Sequence first) {
  forget();
  cut_skipped(old_cols);
  rows_ = 0;
  for (Line& line : lines_) {
    const std::uint32_t rows = count_rows(line, cols);
    if (line.cells > line.content) {
      bytes_ -= line.bytes();
      const bool single = rows == 1 && line.rows == 1;
      const std::uint32_t keep =
          single ? std::max(line.content, std::min(line.cells, cols)) : line.content;
      const std::uint32_t blanks = line.cells - keep;
      cut_tail(line, {line.text.size() - blanks, keep});
      bytes_ += line.bytes();
    }
    line.rows = rows;
    line.seq = first;
    first += rows;
    rows_ += rows;
  }
  return first;
}

}  // namespace troupe::terminal
