// SPDX-License-Identifier: MIT
#include "terminal/row_scanner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::terminal {
namespace {

constexpr std::size_t max_line_bytes = LineMatcher::default_window;

/// The place of byte `byte` in row `seq`, counted from column `col` on.
Cursor place_in_row(const RowSource& rows, Sequence seq, std::uint32_t col, std::size_t byte) {
  const std::size_t at = bytes_before(rows, seq, col) + byte;
  if (at > rows.row(seq).text.size()) {  // the row's line end is part of the match
    return {rows.row_at_or_after(seq + 1).value_or(seq + 1), 0, rows.epoch()};
  }
  return {seq, std::max(col, rows.column_of_byte(seq, at)), rows.epoch()};
}

}  // namespace

RowLook::RowLook(const RowSource& rows, Look what)
    : rows_(rows), what_(what), live_(rows.cursor()), left_(rows.row_before(live_.seq)) {}

const RowText* RowLook::row(Sequence seq, std::uint32_t col) {
  if (!row_ || row_->seq != seq || col_ != col) {
    if (rows_.row_at_or_after(seq) != seq) {
      return nullptr;
    }
    row_ = rows_.row(seq, col);
    col_ = col;
  }
  return &*row_;
}

Sequence RowLook::after(Sequence seq) {
  if (after_of_ != seq) {
    after_ = rows_.row_at_or_after(seq + 1).value_or(seq + 1);
    after_of_ = seq;
  }
  return after_;
}

RowScanner::RowScanner(const RowSource& rows, std::unique_ptr<StreamMatcher> matcher,
                       const Cursor& from)
    : rows_(rows), matcher_(std::move(matcher)), first_(from) {
  start_at(from);
}

void RowScanner::start_at(const Cursor& from) {
  next_ = from;
  read_ = 0;
  segments_.clear();
  matcher_->restart(line_before(from));
}

/// The text of the logical line before `place`, its last part where it is long.
std::string RowScanner::line_before(const Cursor& place) const {
  std::vector<std::string> parts;
  std::size_t size = 0;
  if (place.col > 0 && rows_.row_at_or_after(place.seq) == place.seq) {
    parts.push_back(rows_.row_cells(place.seq, 0, place.col).text);
    size = parts.back().size();
  }
  Sequence seq = place.seq;
  while (size < max_line_bytes) {
    const auto previous = rows_.row_before(seq);
    if (!previous) {
      break;
    }
    RowText row = rows_.row(*previous);
    if (!row.wrapped) {
      break;
    }
    size += row.text.size();
    parts.push_back(std::move(row.text));
    seq = *previous;
  }
  std::string text;
  std::for_each(parts.rbegin(), parts.rend(), [&](const std::string& part) { text += part; });
  return text;
}

void RowScanner::add_segment(const RowText& row, std::uint32_t col) {
  // A match ends in what the matcher can still hold.
  const std::size_t half = segments_.size() / 2;
  if (half >= 64 && segments_[half].offset + 2 * max_line_bytes < read_) {
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(half));
  }
  segments_.push_back({read_, row.seq, col});
}

Cursor RowScanner::place_of(std::uint64_t offset) const {
  auto found = std::find_if(segments_.rbegin(), segments_.rend(),
                            [&](const Segment& s) { return s.offset < offset; });
  if (found == segments_.rend()) {  // an empty match at the very start
    return segments_.empty() ? next_
                             : Cursor{segments_.front().seq, segments_.front().col, rows_.epoch()};
  }
  if (rows_.row_at_or_after(found->seq) != found->seq) {
    return {found->seq, found->col, rows_.epoch()};
  }
  return place_in_row(rows_, found->seq, found->col,
                      static_cast<std::size_t>(offset - found->offset));
}

std::optional<Cursor> RowScanner::read_rows_before(Sequence end, RowLook& look) {
  while (next_.seq < end) {
    const RowText* row = look.row(next_.seq, next_.col);
    if (row == nullptr) {  // erased or dropped: no match spans the hole
      const auto seq = rows_.row_at_or_after(next_.seq);
      if (!seq) {
        break;
      }
      start_at({*seq, 0, rows_.epoch()});
      continue;
    }
    add_segment(*row, next_.col);
    auto found = matcher_->append(row->text);
    read_ += row->text.size();
    if (!found && !row->wrapped) {
      found = matcher_->end_line();
      ++read_;
    }
    if (found) {
      return place_of(*found);
    }
    if (!row->wrapped) {
      segments_.clear();
    }
    next_ = {look.after(next_.seq), 0, rows_.epoch()};
  }
  return std::nullopt;
}

std::optional<Cursor> RowScanner::look_at_cursor_row(RowLook& look) {
  const RowText* row = look.row(next_.seq, next_.col);
  const auto found = row != nullptr ? matcher_->peek(row->text) : std::nullopt;
  if (!found) {
    return std::nullopt;
  }
  add_segment(*row, next_.col);
  return place_of(*found);
}

std::optional<Cursor> RowScanner::look_at_rewritten(Sequence row) const {
  if (row < first_.seq || rows_.row_at_or_after(row) != row) {
    return std::nullopt;
  }
  const std::uint32_t col = row == first_.seq ? first_.col : 0;
  const std::string before = line_before({row, 0, rows_.epoch()});
  const auto found = matcher_->find_in(before + rows_.row(row).text,
                                       before.size() + bytes_before(rows_, row, col));
  if (!found) {
    return std::nullopt;
  }
  return place_in_row(rows_, row, 0, *found - before.size());
}

std::optional<Cursor> RowScanner::look(RowLook& rows) {
  const Cursor& live = rows.live();
  std::optional<Cursor> found;
  if (rows.what() == Look::finished_rows && rows.left() && *rows.left() < next_.seq) {
    found = look_at_rewritten(*rows.left());
  }
  if (!found) {
    found = read_rows_before(live.seq, rows);
  }
  if (!found && rows.what() == Look::cursor_row_too) {
    found = live.seq == next_.seq ? look_at_cursor_row(rows) : look_at_rewritten(live.seq);
  }
  return found;
}

void RowScanner::before_resize() {
  first_place_ = make_place(rows_, first_);
  next_place_ = make_place(rows_, next_);
}

void RowScanner::after_resize() {
  if (next_place_.cursor.epoch == rows_.epoch()) {
    return;
  }
  const auto locate = [&](const Place& place) {
    const auto cursor = place.line ? rows_.locate(*place.line) : std::nullopt;
    return cursor.value_or(Cursor{rows_.oldest(), 0, rows_.epoch()});
  };
  first_ = locate(first_place_);
  start_at(rewound(locate(next_place_)));
}

/// As far before `place` as a match that is under way can reach back, but not before the first
/// cell.
Cursor RowScanner::rewound(Cursor place) const {
  std::size_t bytes = 0;
  while (place.seq > first_.seq && bytes < max_pattern_bytes) {
    const auto previous = rows_.row_before(place.seq);
    if (!previous || *previous < first_.seq) {
      break;
    }
    place = {*previous, *previous == first_.seq ? first_.col : 0, place.epoch};
    bytes += rows_.row(*previous).text.size() + 1;
  }
  return place;
}

}  // namespace troupe::terminal
