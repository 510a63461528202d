// SPDX-License-Identifier: MIT
// Reading: rows of the primary screen and its history, and what protocol 7 calls rows and text.
#include <algorithm>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {
namespace {

// Appends one row of a line of one-byte cells; `wrapped` rows keep all columns.
void append_plain(std::string& out, std::string_view cells, std::uint32_t cols, bool wrapped) {
  constexpr std::string_view blanks{" \0", 2};
  if (!wrapped) {
    cells = cells.substr(0, cells.find_last_not_of(blanks) + 1);
  }
  const std::size_t begin = out.size();
  out += cells;
  if (cells.find('\0') != std::string_view::npos) {
    std::replace(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), '\0', ' ');
  }
  // One cell less than the columns: a wide character ended the row early.
  if (wrapped && cells.size() + 1 < cols) {
    out.append(cols - cells.size(), ' ');
  }
}

// The cells of one row of such a line.
std::string_view plain_row(const Line& line, std::uint32_t row, std::uint32_t cols) {
  const std::size_t begin = std::min<std::size_t>(std::size_t{row} * cols, line.text.size());
  return std::string_view{line.text}.substr(begin, cols);
}

// Appends a row that no wrap continues; false, and nothing appended, where it is not all ASCII.
bool append_ascii(std::string& out, const Row& row) {
  const std::size_t begin = out.size();
  std::size_t end = begin;
  out.resize(begin + row.used);
  for (std::uint32_t x = 0; x < row.used; ++x) {
    const std::uint32_t content = row.cells[x].content;
    if (content >= 0x80) {
      out.resize(begin);
      return false;
    }
    out[begin + x] = content == 0 ? ' ' : static_cast<char>(content);
    end = content == 0 || content == ' ' ? end : begin + x + 1;
  }
  out.resize(end);
  return true;
}

// Appends a row's text without what is blank at its end.
void append_trimmed(std::string& out, const RowView& row) {
  const std::size_t begin = out.size();
  row.for_each([&](std::uint32_t, std::string_view text, unsigned, const Attributes&) {
    out += text.empty() ? std::string_view{" "} : text;
    return true;
  });
  const std::size_t last = out.find_last_not_of(' ');
  out.resize(last == std::string::npos || last < begin ? begin : last + 1);
}

}  // namespace

Sequence ScreenImpl::oldest() const {
  return history.empty() ? names[0].seq : history.oldest();
}

std::optional<std::uint32_t> ScreenImpl::screen_row(Sequence seq) const {
  const auto at = std::lower_bound(
      names.begin(), names.end(), seq,
      [](const History::RowName& name, Sequence wanted) { return name.seq < wanted; });
  if (at == names.end() || at->seq != seq) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(at - names.begin());
}

RowView ScreenImpl::history_view(History::Place place) const {
  return {history.line(place.line), history.start_of(place.line, place.row, size.cols), size.cols};
}

RowView ScreenImpl::view(Sequence seq) const {
  if (const auto y = screen_row(seq)) {
    return {primary.row(*y), clusters};
  }
  History::Place place;
  if (!history.find(seq, place)) {
    static const Row none;
    return {none, clusters};
  }
  return history_view(place);
}

bool ScreenImpl::next_continues(Sequence seq) const {
  if (const auto y = screen_row(seq)) {
    return *y + 1 < size.rows && primary.row(*y + 1).continues;
  }
  History::Place place;
  if (!history.find(seq, place)) {
    return false;
  }
  if (place.row + 1 < history.line(place.line).rows) {
    return true;
  }
  return place.line + 1 < history.line_count() ? history.line(place.line + 1).continues
                                               : primary.row(0).continues;
}

RowText ScreenImpl::row_text(Sequence seq, std::uint32_t from, std::uint32_t to, bool trim) const {
  RowText out;
  out.seq = seq;
  out.wrapped = next_continues(seq);
  const auto y = screen_row(seq);
  const ScreenCursor place = primary_position();
  std::uint32_t keep = to;  // blanks before this column stay
  std::uint32_t stop = to;
  if (trim) {
    keep = y && *y == place.y ? (place.pending ? size.cols : place.x) : 0U;
    if (out.wrapped) {
      keep = y ? row_length(*y) : size.cols;
      stop = keep;
    }
  }
  std::uint32_t end = from;      // column after what is in `text`
  std::uint32_t written = from;  // column after the last cell that is no blank
  std::size_t bytes = 0;
  view(seq).for_each([&](std::uint32_t x, std::string_view text, unsigned width, const auto&) {
    if (x + width > stop) {
      return false;
    }
    if (x < from) {
      end = std::max(end, x + width);
      written = std::max(written, x < from && x + width > from ? x + width : from);
      return true;
    }
    out.text += text.empty() ? std::string_view{" "} : text;
    end = x + width;
    if (!text.empty() && text != " ") {
      written = end;
      bytes = out.text.size();
    }
    return true;
  });
  // A history row that a wide character ended early keeps no blank for its last column.
  if (trim && out.wrapped && !y) {
    keep = end < size.cols && end + 1 >= size.cols ? end : keep;
  }
  if (end < keep) {
    out.text.append(keep - end, ' ');
    end = keep;
  }
  const std::uint32_t last = std::max(written, std::min(keep, end));
  if (last < end) {
    // Cells behind `written` are blanks of one byte each.
    out.text.resize(bytes + (last - written));
    end = last;
  }
  out.used = end;
  return out;
}

// Calls `add(append)` for each of the last `count` rows, oldest first; `append(out)` appends it.
template <typename Add>
void ScreenImpl::for_each_last_row(std::size_t count, Add&& add) const {
  const Grid& g = grid();
  const std::size_t above = alternate_active ? 0 : history.rows();
  const std::size_t wanted = std::min<std::size_t>(count, above + size.rows);
  const std::size_t from_history = wanted > size.rows ? wanted - size.rows : 0;
  History::Place place{history.line_count(), 0};
  for (std::size_t left = from_history; left > 0;) {
    --place.line;
    const Line& line = history.line(place.line);
    const std::uint32_t skipped = place.line == 0 ? history.skipped() : 0;
    const auto take = static_cast<std::uint32_t>(std::min<std::size_t>(left, line.rows - skipped));
    left -= take;
    place.row = line.rows - take;
  }
  for (std::size_t n = 0; n < from_history; ++n) {
    const Line& line = history.line(place.line);
    add([&](std::string& out) {
      if (line.plain) {
        append_plain(out, plain_row(line, place.row, size.cols), size.cols, false);
      } else {
        append_trimmed(out, history_view(place));
      }
    });
    if (++place.row == line.rows) {
      place = {place.line + 1, 0};
    }
  }
  const auto rows = static_cast<std::uint32_t>(wanted - from_history);
  for (std::uint32_t y = size.rows - rows; y < size.rows; ++y) {
    add([&](std::string& out) {
      if (!append_ascii(out, g.row(y))) {
        append_trimmed(out, {g.row(y), clusters});
      }
    });
  }
}

std::vector<std::string> ScreenImpl::last_rows(std::size_t count) const {
  std::vector<std::string> rows;
  for_each_last_row(count, [&](auto&& append) { append(rows.emplace_back()); });
  return rows;
}

CursorLine ScreenImpl::cursor_line(std::uint32_t max_rows) const {
  constexpr std::uint64_t of_alternate = std::uint64_t{1} << 63U;
  const Grid& g = grid();
  std::uint32_t first = cursor.y;
  while (first > 0 && g.row(first).continues && cursor.y - first + 1 < max_rows) {
    --first;
  }
  CursorLine line;
  line.name = alternate_active ? of_alternate | first : names[first].seq;
  for (std::uint32_t y = first; y <= cursor.y; ++y) {
    const std::uint32_t stop = y < cursor.y || cursor.pending ? size.cols : cursor.x;
    RowView{g.row(y), clusters}.for_each(
        [&](std::uint32_t x, std::string_view text, unsigned width, const auto&) {
          if (x + width > stop) {
            return false;
          }
          line.text += text.empty() ? std::string_view{" "} : text;
          return true;
        });
  }
  return line;
}

std::string ScreenImpl::plain_text(std::size_t history_rows) const {
  const std::size_t above = alternate_active ? 0 : history.rows();
  const std::size_t count = std::min(history_rows, above) + size.rows;
  std::string out;
  std::size_t end = 0;
  bool first = true;
  for_each_last_row(count, [&](auto&& append) {
    out += first ? "" : "\n";
    first = false;
    const std::size_t begin = out.size();
    append(out);
    end = out.size() == begin ? end : out.size();
  });
  out.resize(end);
  return out;
}

// -- RowSource ------------------------------------------------------------------------------------

Sequence Screen::oldest() const {
  return impl_->oldest();
}
Sequence Screen::newest() const {
  return impl_->names.back().seq;
}

Cursor Screen::cursor() const {
  const ScreenCursor at = impl_->primary_position();
  return {impl_->names[at.y].seq, at.pending ? impl_->size.cols : at.x, impl_->epoch};
}

Sequence Screen::finished_end() const {
  return impl_->finished_end;
}

std::optional<Sequence> Screen::row_at_or_after(Sequence seq) const {
  History::Place place;
  if (impl_->history.find(seq, place)) {
    return impl_->history.line(place.line).seq + place.row;
  }
  const auto& names = impl_->names;
  const auto at = std::lower_bound(
      names.begin(), names.end(), seq,
      [](const History::RowName& name, Sequence wanted) { return name.seq < wanted; });
  return at == names.end() ? std::nullopt : std::optional{at->seq};
}

std::optional<Sequence> Screen::row_before(Sequence seq) const {
  const auto& names = impl_->names;
  const auto at = std::lower_bound(
      names.begin(), names.end(), seq,
      [](const History::RowName& name, Sequence wanted) { return name.seq < wanted; });
  if (at != names.begin()) {
    return std::prev(at)->seq;
  }
  const History& history = impl_->history;
  if (history.empty() || seq <= history.oldest()) {
    return std::nullopt;
  }
  History::Place place;
  if (!history.find(seq, place)) {
    return history.newest();
  }
  if (place.row > 0) {
    return history.line(place.line).seq + place.row - 1;
  }
  const Line& before = history.line(place.line - 1);
  return before.seq + before.rows - 1;
}

RowText Screen::row(Sequence seq, std::uint32_t from_col) const {
  return impl_->row_text(seq, from_col, impl_->size.cols, true);
}

Sequence Screen::append_rows(Sequence from, Sequence end, std::size_t max_bytes, std::string& text,
                             std::vector<RowPiece>& rows) const {
  const ScreenImpl& s = *impl_;
  const std::size_t stop = text.size() + max_bytes;
  const auto add_slowly = [&](Sequence seq) {
    const RowText row = s.row_text(seq, 0, s.size.cols, true);
    text += row.text;
    return row.wrapped;
  };
  History::Place place;
  bool in_history = s.history.find(from, place);
  std::uint32_t y = in_history ? 0 : s.screen_row(from).value_or(s.size.rows);
  while (text.size() < stop && (in_history || y < s.size.rows)) {
    const Line* const line = in_history ? &s.history.line(place.line) : nullptr;
    const Sequence seq = line != nullptr ? line->seq + place.row : s.names[y].seq;
    if (seq >= end) {
      return seq;
    }
    rows.push_back({seq, text.size()});
    bool wrapped = false;
    if (line != nullptr && line->plain) {
      wrapped = place.row + 1 < line->rows ||
                (place.line + 1 < s.history.line_count() ? s.history.line(place.line + 1).continues
                                                         : s.primary.row(0).continues);
      append_plain(text, plain_row(*line, place.row, s.size.cols), s.size.cols, wrapped);
    } else {
      const bool simple = line == nullptr && y + 1 < s.size.rows &&
                          !s.primary.row(y + 1).continues && y != s.primary_position().y;
      wrapped = !(simple && append_ascii(text, s.primary.row(y))) && add_slowly(seq);
    }
    text += wrapped ? "" : "\n";
    if (line == nullptr) {
      ++y;
    } else if (++place.row == line->rows) {
      place = {place.line + 1, 0};
      in_history = place.line < s.history.line_count();
    }
  }
  return in_history        ? s.history.line(place.line).seq + place.row
         : y < s.size.rows ? s.names[y].seq
                           : s.names.back().seq + 1;
}

RowText Screen::row_cells(Sequence seq, std::uint32_t from_col, std::uint32_t to_col) const {
  return impl_->row_text(seq, from_col, std::min<std::uint32_t>(to_col, impl_->size.cols), false);
}

std::string Screen::row_ansi(Sequence seq, std::uint32_t from_col) const {
  const std::size_t plain = row(seq, from_col).text.size();
  std::string out;
  Attributes look;
  std::size_t bytes = 0;  // of the text in `out`
  std::size_t kept = 0;   // of those
  std::size_t end = 0;    // of `out`, after them
  impl_->view(seq).for_each(
      [&](std::uint32_t x, std::string_view text, unsigned, const Attributes& attributes) {
        if (x < from_col) {
          return true;
        }
        if (attributes != look) {
          append_sgr(out, attributes, impl_->extras.get(attributes.extra).underline);
          look = attributes;
        }
        out += text.empty() ? std::string_view{" "} : text;
        bytes += std::max<std::size_t>(text.size(), 1);
        const bool visible = look.background != 0 ||
                             (look.flags & (attribute::inverse | attribute::underline_mask)) != 0;
        if (bytes <= plain || visible) {
          kept = bytes;
          end = out.size();
        }
        return true;
      });
  out.resize(end);
  if (out.find('\x1b') != std::string::npos) {
    out += "\x1b[m";
  }
  // Cells that nothing was written to: the cursor went beyond them, or a wrapped row ends in them.
  out.append(plain - std::min(plain, kept), ' ');
  return out;
}

std::uint32_t Screen::column_of_byte(Sequence seq, std::size_t byte) const {
  std::size_t bytes = 0;
  std::uint32_t column = 0;
  impl_->view(seq).for_each(
      [&](std::uint32_t x, std::string_view text, unsigned width, const Attributes&) {
        const std::size_t length = std::max<std::size_t>(text.size(), 1);
        if (bytes + length > byte) {
          column = x;
          bytes = byte;
          return false;
        }
        bytes += length;
        column = x + width;
        return true;
      });
  const std::size_t blanks = byte - std::min(bytes, byte);
  return static_cast<std::uint32_t>(std::min<std::size_t>(column + blanks, impl_->size.cols));
}

}  // namespace troupe::terminal
