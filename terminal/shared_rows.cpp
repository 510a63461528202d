// SPDX-License-Identifier: MIT
#include "terminal/shared_rows.hpp"

#include <algorithm>

#include "terminal/stream_matcher.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {
namespace {

constexpr std::size_t piece_bytes = 64U * 1024;
constexpr std::size_t kept_bytes = 2 * LineMatcher::default_window;

}  // namespace

Cursor place_in_row(const RowSource& rows, Sequence seq, std::uint32_t col, std::size_t byte) {
  const std::size_t at = bytes_before(rows, seq, col) + byte;
  if (at > rows.row(seq).text.size()) {  // the row's line end is part of the match
    return {rows.row_at_or_after(seq + 1).value_or(seq + 1), 0, rows.epoch()};
  }
  return {seq, std::max(col, rows.column_of_byte(seq, at)), rows.epoch()};
}

const RowText* SharedRows::row(Sequence seq, std::uint32_t col) {
  if (!row_ || row_->seq != seq || col_ != col) {
    if (rows_.row_at_or_after(seq) != seq) {
      return nullptr;
    }
    row_ = rows_.row(seq, col);
    col_ = col;
  }
  return &*row_;
}

void SharedRows::restart(const Cursor& next) {
  next_ = next;
  segments_.clear();
}

bool SharedRows::read_before(Sequence end) {
  if (next_.seq >= end || !continues()) {
    return false;
  }
  text_.clear();
  pieces_.clear();
  next_.seq = rows_.append_rows(next_.seq, end, piece_bytes, text_, pieces_);
  for (const RowPiece& piece : pieces_) {
    segments_.push_back({offset_ + piece.at, piece.seq});
  }
  offset_ += text_.size();
  // A match ends in what a matcher can still hold.
  const std::uint64_t piece_begin = offset_ - text_.size();
  const std::size_t half = segments_.size() / 2;
  if (half > 0 && segments_[half].offset + kept_bytes < piece_begin) {
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(half));
  }
  constexpr std::size_t ordinary = 2 * piece_bytes;
  if (text_.capacity() > ordinary) {
    text_.shrink_to_fit();
  }
  return true;
}

Cursor SharedRows::place_of(std::uint64_t offset) const {
  auto found = std::partition_point(segments_.begin(), segments_.end(),
                                    [&](const Segment& s) { return s.offset < offset; });
  if (found != segments_.begin()) {
    --found;
  }
  if (found == segments_.end() || rows_.row_at_or_after(found->seq) != found->seq) {
    return {found == segments_.end() ? next_.seq : found->seq, 0, rows_.epoch()};
  }
  return place_in_row(rows_, found->seq, 0, static_cast<std::size_t>(offset - found->offset));
}

}  // namespace troupe::terminal
