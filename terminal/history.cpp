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

// Takes these cells out of the counts, in their order; the text is the caller's.
void drop_cells(Line& line, const std::vector<std::uint32_t>& cells) {
  line.cells -= static_cast<std::uint32_t>(cells.size());
  line.content -= static_cast<std::uint32_t>(cells.size());
  if (!line.runs) {
    return;
  }
  auto cell = cells.begin();
  std::uint32_t end = 0;
  for (StyleRun& run : *line.runs) {
    end += run.cells;
    for (; cell != cells.end() && *cell < end; ++cell) {
      --run.cells;
    }
  }
  std::erase_if(*line.runs, [](const StyleRun& run) { return run.cells == 0; });
}

// A row that is continued counts all its columns, but not the blank that a wide character which did
// not fit left in the last one.
void fill_last_row(Line& line, RowStart start, const Row& next, std::uint32_t cols) {
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

// Cells up to the last written one, even in a row that is continued.
std::uint32_t written_cells(const Line& line) {
  const std::size_t last = line.text.find_last_not_of('\0');
  const std::size_t blanks = line.text.size() - (last == std::string::npos ? 0 : last + 1);
  return line.cells - static_cast<std::uint32_t>(blanks);
}

}  // namespace

void History::push(const Row& row, RowName name, std::uint32_t cols, const ClusterTable& clusters,
                   Trim trim_after) {
  const std::optional<RowStart> tail = tail_;
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
    fill_last_row(line, tail ? *tail : row_start(line, cols, line.rows - 1), row, cols);
  }
  const std::uint32_t before = line.cells;
  const RowStart start{line.text.size(), before};
  const std::uint32_t end = kept_cells(row);
  append_cells(line, row, end, clusters);
  line.content = before + std::min(end, row.content_length());
  ++line.rows;
  ++rows_;
  bytes_ += line.bytes();
  if (trim_after == Trim::yes && (rows_ > max_rows_ || bytes_ > max_bytes_)) {
    trim();
  }
  if (!lines_.empty()) {
    tail_ = start;
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
  tail_.reset();
  Line& line = lines_.back();
  const std::uint32_t r = line.rows - 1;
  // Rows are popped from the end, but starts are found from the line's head: one that is some rows
  // above serves all that follow.
  constexpr std::uint32_t stride = 64;
  const std::size_t index = lines_.size() - 1;
  if (last_.line != index || last_.cols != cols || last_.row > r || r - last_.row > stride) {
    (void)start_of(index, r - std::min(r, stride), cols);
  }
  const RowStart start = row_start(line, cols, r, last_.start, last_.row);
  decode_row(line, start, cols, clusters, row);
  row.continues = r > 0 || line.continues;
  name = {line.seq + r, line.id + r};
  bytes_ -= line.bytes();
  --rows_;
  if (r == 0 || (lines_.size() == 1 && r == skipped_)) {
    forget();
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

// Where a narrower line has as many rows as before, a background behind its end stays in its
// columns, but for the one where the line ends now: so xterm.js shows it.
void History::keep_background(Line& line, RowStart old_row, RowStart new_row, std::uint32_t cols) {
  const std::uint32_t end = std::min(line.cells, old_row.cell + cols);
  const std::uint32_t first = line.content + (old_row.cell - new_row.cell) + 1;
  std::vector<Attributes> kept;
  StyleReader styles{line, first};
  for (std::uint32_t cell = first; cell < end; ++cell) {
    kept.push_back(styles.take(1));
  }
  cut_tail(line, {line.text.size() - (line.cells - line.content), line.content});
  if (kept.empty() || !line.runs) {
    return;
  }
  add_blanks(line, 1);
  for (const Attributes& look : kept) {
    if (line.runs->back().attributes != look) {
      line.runs->push_back({0, look});
    }
    ++line.runs->back().cells;
  }
  line.text.append(kept.size(), '\0');
  line.cells += static_cast<std::uint32_t>(kept.size());
}

void History::rewrap_line(Line& line, std::uint32_t old_cols, std::uint32_t cols) {
  const std::uint32_t rows = line.rows;
  const bool several = rows > 1;
  if (!line.text.empty() && line.text.back() == '\0') {
    // Its last row may have been continued once and be so no more.
    const std::uint32_t last_row = row_start(line, old_cols, line.rows - 1).cell;
    line.content = std::min(line.content, std::max(written_cells(line), last_row));
  }
  std::uint32_t keep = line.content;
  if (several && cols > old_cols) {
    line.content = std::min(line.content, written_cells(line));
  }
  line.rows = count_rows(line, cols);
  if (several && line.rows == rows && cols < old_cols && line.cells > line.content) {
    keep_background(line, row_start(line, old_cols, rows - 1), row_start(line, cols, rows - 1),
                    cols);
    return;
  }
  if (line.rows == 1 && !several) {
    keep = std::max(keep, std::min(line.cells, cols));
  } else if (line.content < keep) {
    keep = std::min(keep, row_start(line, cols, line.rows).cell);
  }
  if (line.cells > keep) {
    const std::uint32_t blanks = line.cells - keep;
    cut_tail(line, {line.text.size() - blanks, keep});
  }
}

// A blank in the last column before a row that begins with a wide character counts as the padding
// that such a character leaves where it does not fit, though it may have been text: what wraps
// rows, like xterm.js and a reader of the checkpoint, cannot tell. So `fill_last_row` has it too.
void History::drop_padding(Line& line, std::uint32_t cols) {
  if (!line.wide || line.rows < 2 || line.text.find('\0') == std::string::npos) {
    return;
  }
  std::string text;
  std::size_t copied = 0;
  std::vector<std::uint32_t> dropped;
  std::uint32_t cell = 0;
  std::uint32_t x = 0;
  bool blank = false;
  for (std::size_t byte = 0; byte < line.text.size() && cell < line.content;) {
    const std::size_t begin = byte;
    const LineCell next = read_cell(line.text, byte);
    if (x == cols && blank && next.width == 2) {
      text.append(line.text, copied, begin - 1 - copied);
      copied = begin;
      dropped.push_back(cell - 1);
    }
    x = (x + next.width > cols ? 0 : x) + next.width;
    cell += next.width;
    blank = next.text.empty();
  }
  if (!dropped.empty()) {
    line.text = text.append(line.text, copied);
    drop_cells(line, dropped);
  }
}

Sequence History::rewrap(std::uint32_t old_cols, std::uint32_t cols, Sequence first) {
  forget();
  cut_skipped(old_cols);
  rows_ = 0;
  for (Line& line : lines_) {
    bytes_ -= line.bytes();
    rewrap_line(line, old_cols, cols);
    drop_padding(line, cols);
    bytes_ += line.bytes();
    line.seq = first;
    first += line.rows;
    rows_ += line.rows;
  }
  return first;
}

}  // namespace troupe::terminal
