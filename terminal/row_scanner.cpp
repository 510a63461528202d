// SPDX-License-Identifier: MIT
#include "terminal/row_scanner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::terminal {
namespace {

constexpr std::size_t max_line_bytes = LineMatcher::default_window;

/// The text of the logical line before `place`, its last part where it is long.
std::string line_before(const RowSource& rows, const Cursor& place) {
  std::vector<std::string> parts;
  std::size_t size = 0;
  if (place.col > 0 && rows.row_at_or_after(place.seq) == place.seq) {
    parts.push_back(rows.row_cells(place.seq, 0, place.col).text);
    size = parts.back().size();
  }
  Sequence seq = place.seq;
  while (size < max_line_bytes) {
    const auto previous = rows.row_before(seq);
    if (!previous) {
      break;
    }
    RowText row = rows.row(*previous);
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

}  // namespace

WholeRow whole_row(const RowSource& rows, Sequence seq) {
  WholeRow row{seq, line_before(rows, {seq, 0, rows.epoch()}), 0};
  row.before = row.line.size();
  row.line += rows.row(seq).text;
  return row;
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
  joined_ = false;
  shared_ = nullptr;
  matcher_->restart(line_before(rows_, from));
}

void RowScanner::join(const SharedRows& shared) {
  if (next_ == shared.next()) {
    joined_ = true;
    shared_ = &shared;
    joined_at_ = read_;
    joined_place_ = next_;
    base_ = shared.offset() - read_;
  }
}

std::optional<Cursor> RowScanner::take(const SharedRows& shared, const Hints& hints) {
  const auto found = matcher_->append_lines(shared.text(), hints);
  read_ += shared.text().size();
  next_ = shared.next();
  return found ? std::optional(place_of(*found)) : std::nullopt;
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
  // The last segment is the cursor's row where that was looked at; it is not among the shared ones.
  const bool in_cursor_row =
      !segments_.empty() && segments_.back().offset >= read_ && offset > segments_.back().offset;
  if (shared_ != nullptr && offset > joined_at_ && !in_cursor_row) {
    return shared_->place_of(base_ + offset);
  }
  auto found = std::find_if(segments_.rbegin(), segments_.rend(),
                            [&](const Segment& s) { return s.offset < offset; });
  if (found == segments_.rend()) {  // an empty match at the very start
    return segments_.empty() ? joined_place_
                             : Cursor{segments_.front().seq, segments_.front().col, rows_.epoch()};
  }
  if (rows_.row_at_or_after(found->seq) != found->seq) {
    return {found->seq, found->col, rows_.epoch()};
  }
  return place_in_row(rows_, found->seq, found->col,
                      static_cast<std::size_t>(offset - found->offset));
}

std::optional<Cursor> RowScanner::read_rows_before(Sequence end, SharedRows& shared) {
  while (next_.seq < end) {
    const RowText* row = shared.row(next_.seq, next_.col);
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
    next_ = {rows_.row_at_or_after(next_.seq + 1).value_or(next_.seq + 1), 0, rows_.epoch()};
  }
  return std::nullopt;
}

std::optional<Cursor> RowScanner::peek_row(const RowText& row, Verdict verdict) {
  const auto found = matcher_->peek(row.text, verdict);
  if (!found) {
    return std::nullopt;
  }
  add_segment(row, next_.col);
  return place_of(*found);
}

std::optional<Cursor> RowScanner::look_at_rewritten(Sequence row) const {
  if (row < first_.seq || rows_.row_at_or_after(row) != row) {
    return std::nullopt;
  }
  return find_in(whole_row(rows_, row));
}

std::optional<Cursor> RowScanner::find_in(const WholeRow& row) const {
  if (row.seq < first_.seq) {
    return std::nullopt;
  }
  const std::size_t skipped = row.seq == first_.seq ? bytes_before(rows_, row.seq, first_.col) : 0;
  const auto found = matcher_->find_in(row.line, row.before + skipped);
  if (!found) {
    return std::nullopt;
  }
  return place_in_row(rows_, row.seq, 0, *found - row.before);
}

std::optional<Cursor> RowScanner::look(Look what, Sequence end, SharedRows& shared) {
  std::optional<Cursor> found;
  const auto left = rows_.row_before(end);
  if (what == Look::finished_rows && left && *left < next_.seq) {
    found = look_at_rewritten(*left);
  }
  if (!found) {
    found = read_rows_before(end, shared);
  }
  if (!found && what == Look::cursor_row_too) {
    if (end != next_.seq) {
      return look_at_rewritten(end);
    }
    const RowText* const row = shared.row(end, next_.col);
    return row != nullptr ? peek_row(*row, Verdict::possible) : std::nullopt;
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
