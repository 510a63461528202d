// SPDX-License-Identifier: MIT
#include "terminal/text_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace troupe::terminal {

namespace {

bool before(const Cursor& a, const Cursor& b) {
  return std::pair(a.seq, a.col) < std::pair(b.seq, b.col);
}

/// Counts what a reply takes, in raw bytes and as JSON.
class Budget {
 public:
  explicit Budget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Takes `piece` where it fits; the first piece fits for as long as it fits a frame.
  bool take(std::string_view piece, std::size_t overhead = 0) {
    const std::size_t json = json_string_size(piece) + overhead;
    const bool fits =
        json_ + json <= max_reply_json_bytes && (first_ || bytes_ + piece.size() <= max_bytes_);
    if (fits) {
      json_ += json;
      bytes_ += piece.size();
      first_ = false;
    }
    return fits;
  }
  [[nodiscard]] bool first() const { return first_; }

 private:
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::size_t json_ = 0;
  bool first_ = true;
};

constexpr std::size_t json_overhead = 3;  // a list element's quotes and comma

/// The longest start of `text` that fits a frame.
std::string_view cut_to_frame(std::string_view text) {
  // No byte takes more than six in JSON.
  return cut_utf8(text, max_reply_json_bytes / 6);
}

}  // namespace

/// Where a read stops: behind row `end.seq`, or inside it where `whole_row` is false.
struct TextReader::Stop {
  Cursor end;
  bool whole_row = false;
};

Place make_place(const RowSource& rows, const Cursor& cursor) {
  return {cursor, rows.position(cursor)};
}

std::size_t bytes_before(const RowSource& rows, Sequence seq, std::uint32_t col) {
  if (col == 0) {
    return 0;
  }
  const std::size_t all = rows.row(seq).text.size();
  return all - std::min(all, rows.row(seq, col).text.size());
}

Anchor TextReader::anchor_at(Cursor cursor) const {
  const auto row = rows_.row_at_or_after(std::max(cursor.seq, rows_.oldest()));
  if (!row) {
    return {rows_.cursor(), false, true};
  }
  if (*row != cursor.seq) {
    return {{*row, 0, rows_.epoch()}, true};
  }
  // A column beyond the row's text means its end, which is the cursor where that stands further.
  const Cursor live = rows_.cursor();
  std::uint32_t end = rows_.row(*row).used;
  end = live.seq == *row ? std::max(end, live.col) : end;
  return {{*row, std::min(cursor.col, end), rows_.epoch()}, false};
}

Result<Anchor> TextReader::resolve(const CursorSpec& spec) const {
  if (std::holds_alternative<CursorNow>(spec)) {
    return Anchor{rows_.cursor(), false};
  }
  if (std::holds_alternative<CursorOldest>(spec)) {
    return anchor_at({rows_.oldest(), 0, rows_.epoch()});
  }
  const CursorAt& given = std::get<CursorAt>(spec);
  const Cursor cursor{given.seq, given.col, given.epoch.value_or(rows_.epoch())};
  if (cursor.epoch > rows_.epoch()) {
    return Error{Code::bad_request, "the cursor's epoch has not been"};
  }
  if (cursor.epoch == rows_.epoch()) {
    return anchor_at(cursor);
  }
  return resolve(make_place(rows_, cursor));
}

Anchor TextReader::resolve(const Place& place) const {
  const Anchor now = present(place);
  if (now.evicted && place.cursor.epoch != rows_.epoch()) {
    return now;
  }
  return anchor_at(now.at);
}

Anchor TextReader::present(const Place& place) const {
  if (place.cursor.epoch == rows_.epoch()) {
    const Sequence seq = place.cursor.seq;
    return {place.cursor, seq <= rows_.newest() && rows_.row_at_or_after(seq) != seq};
  }
  if (!place.line) {
    return {{rows_.oldest(), 0, rows_.epoch()}, true};
  }
  if (const auto cursor = rows_.locate(*place.line)) {
    return {*cursor, false};
  }
  return {first_row_after(place.line->line), true};
}

Anchor TextReader::output_start(const CommandRecord& record) const {
  const auto row = rows_.row_at_or_after(record.start.seq);
  if (!row || *row == record.start.seq) {
    return {record.start, record.evicted};
  }
  return {{*row, 0, rows_.epoch()}, true};
}

/// Rows stand in the order of their lines, so the place of a lost line is found by halving.
Cursor TextReader::first_row_after(std::uint64_t line) const {
  Sequence low = rows_.oldest();
  Sequence high = rows_.newest();
  while (low < high) {
    const Sequence middle = low + (high - low) / 2;
    const auto row = rows_.row_at_or_after(middle);
    const auto position = row ? rows_.position({*row, 0, rows_.epoch()}) : std::nullopt;
    if (position && position->line < line) {
      low = std::max(*row, middle) + 1;
    } else {
      high = middle;
    }
  }
  return {rows_.row_at_or_after(low).value_or(low), 0, rows_.epoch()};
}

std::size_t TextReader::limit(std::size_t max_bytes) const {
  return max_bytes == 0 ? output_max_ : std::min(max_bytes, output_max_);
}

TextSlice TextReader::read(const Anchor& from, const Stop& stop, std::size_t max_bytes) const {
  TextSlice slice;
  slice.start = slice.next = from.at;
  slice.evicted = from.evicted;
  slice.alt_screen = rows_.alternate_active();
  Budget budget(limit(max_bytes));
  Cursor at = from.at;
  while (at.seq < stop.end.seq ||
         (at.seq == stop.end.seq && (stop.whole_row || at.col < stop.end.col))) {
    const bool last = at.seq == stop.end.seq;
    RowText row = last && !stop.whole_row ? rows_.row_cells(at.seq, at.col, stop.end.col)
                                          : rows_.row(at.seq, at.col);
    if (!last && !row.wrapped) {
      row.text += '\n';
    }
    if (!budget.take(row.text)) {
      slice.truncated = true;
      if (budget.first()) {
        slice.text = cut_to_frame(row.text);
        at.col =
            rows_.column_of_byte(at.seq, bytes_before(rows_, at.seq, at.col) + slice.text.size());
      }
      slice.next = at;
      return slice;
    }
    slice.text += row.text;
    const auto next = rows_.row_at_or_after(at.seq + 1);
    if (last || !next || *next > stop.end.seq) {
      break;
    }
    at = {*next, 0, at.epoch};
  }
  slice.next = before(stop.end, from.at) ? from.at : stop.end;
  return slice;
}

TextSlice TextReader::read_open(const Anchor& from, std::size_t max_bytes) const {
  return read(from, {rows_.cursor(), true}, max_bytes);
}

TextSlice TextReader::read_until(const Anchor& from, const Cursor& end,
                                 std::size_t max_bytes) const {
  return read(from, {end, false}, max_bytes);
}

TextSlice TextReader::read_rows(const Anchor& from, Sequence end, std::size_t max_bytes) const {
  const auto last = end == 0 ? std::nullopt : rows_.row_before(end);
  if (!last || *last < from.at.seq) {
    TextSlice slice;
    slice.start = slice.next = from.at;
    slice.evicted = from.evicted;
    slice.alt_screen = rows_.alternate_active();
    return slice;
  }
  TextSlice slice = read(from, {{*last, 0, rows_.epoch()}, true}, max_bytes);
  if (!slice.truncated) {
    slice.next = {end, 0, rows_.epoch()};
  }
  return slice;
}

std::optional<Sequence> TextReader::last_row() const {
  std::optional<Sequence> seq = rows_.newest();
  while (seq && rows_.row(*seq).used == 0) {
    seq = rows_.row_before(*seq);
  }
  return seq;
}

Cursor TextReader::nth_last_row(Sequence last, std::size_t count) const {
  Sequence seq = last;
  for (std::size_t i = 1; i < count; ++i) {
    const auto previous = rows_.row_before(seq);
    if (!previous) {
      break;
    }
    seq = *previous;
  }
  return {seq, 0, rows_.epoch()};
}

HistorySlice TextReader::history(const std::optional<Anchor>& from, std::optional<std::size_t> rows,
                                 HistoryFormat format) const {
  HistorySlice slice;
  const auto last = last_row();
  Cursor at{rows_.oldest(), 0, rows_.epoch()};
  if (from) {
    at = from->future ? Cursor{rows_.newest() + 1, 0, rows_.epoch()} : from->at;
    slice.evicted = from->evicted;
  } else if (rows && last) {
    at = nth_last_row(*last, *rows);
  }
  slice.start = slice.next = at;
  if (!last) {
    return slice;
  }
  const Cursor live = rows_.cursor();
  Budget budget(output_max_);
  std::size_t left = rows.value_or(SIZE_MAX);
  for (auto seq = rows_.row_at_or_after(at.seq); seq && *seq <= *last;
       seq = rows_.row_at_or_after(*seq + 1), --left) {
    if (left == 0) {
      slice.truncated = true;
      break;
    }
    std::string line =
        format == HistoryFormat::ansi ? rows_.row_ansi(*seq, at.col) : rows_.row(*seq, at.col).text;
    const bool live_row = *seq == live.seq;
    if (live_row && at.col > 0 && at == live && rows_.row(*seq, at.col).text.empty()) {
      break;  // nothing was added to the unfinished row since it was read
    }
    if (budget.first() && json_string_size(line) > max_reply_json_bytes) {
      line = cut_to_frame(line);
      slice.truncated = true;
    }
    if (!budget.take(line, json_overhead)) {
      slice.truncated = true;
      break;
    }
    slice.lines.push_back(std::move(line));
    at.col = 0;
    // The unfinished row is continued where it ended.
    slice.next = live_row && *seq == *last ? live : Cursor{*seq + 1, 0, at.epoch};
  }
  return slice;
}

}  // namespace troupe::terminal
