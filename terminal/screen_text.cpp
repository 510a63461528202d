// SPDX-License-Identifier: MIT
// Printing: the text of the stream into cells.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/byte_marks.hpp"
#include "terminal/screen_impl.hpp"
#include "terminal/width.hpp"

namespace troupe::terminal {
namespace {

// DEC Special Graphics, 0x60 … 0x7E.
constexpr char32_t graphics[] = {0x25C6, 0x2592, 0x2409, 0x240C, 0x240D, 0x240A, 0x00B0, 0x00B1,
                                 0x2424, 0x240B, 0x2518, 0x2510, 0x250C, 0x2514, 0x253C, 0x23BA,
                                 0x23BB, 0x2500, 0x23BC, 0x23BD, 0x251C, 0x2524, 0x2534, 0x252C,
                                 0x2502, 0x2264, 0x2265, 0x03C0, 0x2260, 0x00A3, 0x00B7};

char32_t translate(Charset set, char32_t c) {
  if (set == Charset::graphics && c >= 0x60 && c <= 0x7E) {
    return graphics[c - 0x60];
  }
  return set == Charset::british && c == '#' ? 0xA3 : c;
}

// The character of two bytes or more that `bytes` begins with, where it is complete and plainly
// well formed; else 0, and the decoder looks at every byte.
char32_t whole_character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const std::uint32_t first = byte(0);
  if (first >= 0xC2 && first < 0xE0 && bytes.size() >= 2 && follows(1)) {
    return ((first & 0x1FU) << 6U) | (byte(1) & 0x3FU);
  }
  if (first >= 0xE0 && first < 0xF0 && bytes.size() >= 3 && follows(1) && follows(2)) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    if (overlong || surrogate) {
      return 0;
    }
    return ((first & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
  }
  const bool four = first == 0xF0 && bytes.size() >= 4 && byte(1) >= 0x90;
  if (four && follows(1) && follows(2) && follows(3)) {
    return ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) | (byte(3) & 0x3FU);
  }
  return 0;
}

// Length of the ASCII head of `bytes`, eight at a time.
std::size_t ascii_run(std::string_view bytes) {
  std::size_t n = 0;
  while (n + 8 <= bytes.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + n, sizeof word);
    if (const std::uint64_t marks = word & 0x8080808080808080U; marks != 0) {
      return n + first_marked_byte(marks);
    }
    n += 8;
  }
  while (n < bytes.size() && static_cast<unsigned char>(bytes[n]) < 0x80) {
    ++n;
  }
  return n;
}

}  // namespace

std::uint32_t ScreenImpl::right_limit() const {
  return modes.left_right && cursor.x < margins.right ? margins.right : size.cols;
}

void ScreenImpl::print_text(std::string_view bytes) {
  printed = true;
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (!decoder.pending()) {
      if (const std::size_t count = print_plainly(bytes.substr(at)); count > 0) {
        at += count;
        continue;
      }
      if (const char32_t whole = whole_character(bytes.substr(at)); whole != 0) {
        at += utf8_length(bytes[at]);
        print_character(whole);
        continue;
      }
    }
    bool again = false;
    const char32_t c = decoder.feed(static_cast<unsigned char>(bytes[at]), again);
    at += again ? 0 : 1;
    if (c != Utf8Decoder::incomplete) {
      print_character(c);
    }
  }
}

// The head of `bytes` whose characters need nothing looked at but their width: as many bytes as
// were printed. 0 leaves the first character to be printed by itself.
std::size_t ScreenImpl::print_plainly(std::string_view bytes) {
  constexpr std::size_t long_run = 16;  // from here on the short way for ASCII pays
  // Asked before anything is scanned: each character of a long text may have to be refused.
  const bool covered =
      !modes.autowrap && (overran || cursor.pending) && grid().row(cursor.y).at(cursor.x).is_tail();
  const bool plain = !modes.insert && !modes.left_right && charsets.single_shift == 0 &&
                     charsets.g[charsets.gl] == Charset::ascii && !covered;
  if (!plain) {
    return 0;
  }
  const std::size_t ascii = ascii_run(bytes);
  const bool ordinary = !modes.clusters && !cursor.pending && !overran;
  if (ascii > 0 && (ascii == bytes.size() || ascii >= long_run || !ordinary)) {
    print_ascii(bytes.substr(0, ascii));
    return ascii;
  }
  return ordinary ? print_mixed(bytes) : 0;
}

// Writes `contents`, one for each column, from the cursor on, which moves; they fit the row.
template <class Content>
void ScreenImpl::put_run(const Content* contents, std::uint32_t count) {
  const std::uint32_t stop = cursor.x + count;
  Grid& g = grid();
  Cell* const cells = g.writable(cursor.y, stop);
  if (cursor.x > 0 && cells[cursor.x].is_tail()) {
    cells[cursor.x - 1] = blank_cell(pen.look);
  }
  if (stop < g.row(cursor.y).used && cells[stop].is_tail()) {
    cells[stop] = blank_cell(pen.look);
  }
  Cell cell{0, pen.look};
  Cell* const to = cells + cursor.x;
  for (std::uint32_t i = 0; i < count; ++i) {
    cell.content = contents[i];
    to[i] = cell;
  }
  cursor.pending = stop == size.cols;
  cursor.x = cursor.pending ? stop - 1 : stop;
}

// `ascii` is not empty. Without autowrap only its last character stays in the last column.
void ScreenImpl::print_ascii(std::string_view ascii) {
  std::size_t at = 0;
  while (at < ascii.size()) {
    if (cursor.pending) {
      if (modes.autowrap) {
        wrap();
      } else {
        cursor.pending = false;
        at = std::max(at, ascii.size() - 1);
      }
    }
    const std::size_t count = std::min<std::size_t>(size.cols - cursor.x, ascii.size() - at);
    put_run(reinterpret_cast<const unsigned char*>(ascii.data() + at),
            static_cast<std::uint32_t>(count));
    at += count;
    work += count;
  }
  repeatable = static_cast<unsigned char>(ascii.back());
  joinable = true;
  roomless = false;
  join = {cursor.pending ? cursor.x : cursor.x - 1, cursor.y};
}

// The head of `bytes`, at most so many columns at a time, whose characters are plainly well formed
// and have columns and room for them in this row. The cursor is not past the row's end.
std::size_t ScreenImpl::print_mixed(std::string_view bytes) {
  std::array<std::uint32_t, 128> contents;  // one for each column, written before it is read
  const std::size_t room = std::min<std::size_t>(size.cols - cursor.x, contents.size());
  std::size_t columns = 0;
  std::size_t last_column = 0;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    const char32_t c = byte < 0x80 ? byte : whole_character(bytes.substr(at));
    const bool shows = byte < 0x80 || c >= 0xA0;
    const unsigned width = shows ? character_width(c) : 0;
    if (width == 0 || columns + width > room) {
      break;
    }
    last_column = columns;
    contents[columns++] = static_cast<std::uint32_t>(c) | (width == 2 ? Cell::wide : 0U);
    if (width == 2) {
      contents[columns++] = Cell::wide_tail;
    }
    at += utf8_length(bytes[at]);
    ++work;
    repeatable = c;
  }
  if (at > 0) {
    join = {cursor.x + static_cast<std::uint32_t>(last_column), cursor.y};
    joinable = true;
    roomless = false;
    put_run(contents.data(), static_cast<std::uint32_t>(columns));
  }
  return at;
}

// An incomplete character was cut by something that is no continuation.
void ScreenImpl::end_partial_character() {
  decoder.reset();
  print_character(replacement_character);
}

void ScreenImpl::print_character(char32_t c) {
  if (c >= 0x80 && c < 0xA0) {
    return;  // C1 controls: never stored, never obeyed
  }
  if (c < 0x7F) {
    const std::uint8_t slot = charsets.single_shift != 0 ? charsets.single_shift : charsets.gl;
    c = translate(charsets.g[slot], c);
  }
  charsets.single_shift = 0;
  print_translated(c);
}

void ScreenImpl::print_translated(char32_t c) {
  ++work;
  if (modes.clusters && join_cluster(c)) {
    return;
  }
  const unsigned width = character_width(c);
  if (width == 0) {
    combine(c);
    return;
  }
  repeatable = c;
  place(static_cast<std::uint32_t>(c), width);
}

// Writes a character of one or two columns at the cursor, wrapping first where it must.
void ScreenImpl::place(std::uint32_t content, unsigned width) {
  std::uint32_t limit = right_limit();
  const bool past = cursor.pending || cursor.x + width > limit;
  if (!modes.autowrap) {
    if ((past || overran) && !take_last_column(limit, width)) {
      return;
    }
  } else if (past) {
    if (!cursor.pending) {
      pad_row(limit);
    }
    wrap();
    limit = right_limit();
  }
  Grid& g = grid();
  const std::uint32_t stop = cursor.x + width;
  bool halved = false;
  if (modes.insert) {
    halved = stop < limit && g.row(cursor.y).at(cursor.x).is_tail();
    g.insert_cells(cursor.y, cursor.x, limit, width, pen.look);
  }
  Cell* cells = g.writable(cursor.y, halved ? stop + 1 : stop);
  const Row& row = g.row(cursor.y);
  if (cursor.x > 0 && cells[cursor.x].is_tail()) {
    cells[cursor.x - 1] = blank_cell(pen.look);
  }
  if (halved || (stop < row.used && cells[stop].is_tail())) {
    cells[stop] = blank_cell(pen.look);
  }
  cells[cursor.x] = Cell{content | (width == 2 ? Cell::wide : 0U), pen.look};
  if (width == 2) {
    cells[cursor.x + 1] = Cell{Cell::wide_tail, pen.look};
  }
  joinable = true;
  roomless = false;
  join = {cursor.x, cursor.y};
  cursor.pending = stop >= limit;
  cursor.x = cursor.pending ? limit - 1 : stop;
}

// Without autowrap, text that goes on past the last column stays there. False where the character
// does not show: a wide one has no room, and a narrow one does not break the wide one it would
// cover half of, but a wide one with which a piece of text begins does. All as in xterm.js.
bool ScreenImpl::take_last_column(std::uint32_t limit, unsigned width) {
  const bool begins = !overran && !cursor.pending;
  overran = true;
  cursor.pending = false;
  cursor.x = limit - 1;
  Row& row = grid().row(cursor.y);
  if (width == 2) {
    if (begins && cursor.x > 0 && row.at(cursor.x).is_tail()) {
      row.cells[cursor.x - 1] = blank_cell(pen.look);
      row.cells[cursor.x] = blank_cell(pen.look);
    }
    joinable = limit == size.cols;
    roomless = true;
    join = {limit - 2, cursor.y};
    join.x -= join.x > 0 && row.at(join.x).is_tail() ? 1U : 0U;
    return false;
  }
  if (modes.insert || !row.at(cursor.x).is_tail()) {
    return true;
  }
  joinable = false;
  cursor.pending = true;
  return false;
}

// The column that a wide character which does not fit leaves is unwritten, but looks like the pen.
void ScreenImpl::pad_row(std::uint32_t limit) {
  Grid& g = grid();
  const bool halved = g.row(cursor.y).at(cursor.x).is_tail();
  g.erase(cursor.y, cursor.x, limit, fill());
  if (halved) {
    g.writable(cursor.y, cursor.x)[cursor.x - 1] = blank_cell(pen.look);
  }
  if (blank_cell(pen.look).content != 0) {
    Cell* cells = g.writable(cursor.y, limit);
    std::fill(cells + cursor.x, cells + limit, Cell{0, pen.look});
  }
}

// To the next row, which becomes the continuation of this one.
void ScreenImpl::wrap() {
  cursor.pending = false;
  const bool soft = full_sides();
  cursor.x = soft || cursor.x >= margins.right ? 0 : margins.left;
  Grid& g = grid();
  if (cursor.y + 1 == margins.bottom) {
    if (soft) {
      scroll_region(margins.top, margins.bottom, 1);
    } else {
      edit(Edit::scroll_up, 1);
      return;
    }
  } else if (cursor.y + 1 < size.rows) {
    ++cursor.y;
  }
  if (soft) {
    g.row(cursor.y).continues = true;
  }
}

void ScreenImpl::cell_text(const Cell& cell, std::string& out) const {
  if (cell.is_cluster()) {
    out += clusters.text(cell.value());
  } else if (!cell.unwritten() && !cell.is_tail()) {
    append_utf8(out, cell.value());
  }
}

bool ScreenImpl::set_cluster(std::uint32_t x, std::string_view text) {
  if (clusters.full()) {
    sweep_clusters();
  }
  const std::uint32_t id = clusters.intern(text);
  if (id != ClusterTable::none) {
    Cell& cell = grid().row(join.y).cells[x];
    cell.content = (cell.content & Cell::wide) | Cell::cluster | id;
  }
  return id != ClusterTable::none;
}

// A combining mark goes to the character printed before it; without one it is dropped.
void ScreenImpl::combine(char32_t c) {
  if (!joinable) {
    return;
  }
  if (roomless) {
    return combine_roomless(c);
  }
  std::string text;
  cell_text(grid().row(join.y).at(join.x), text);
  constexpr std::size_t longest = 4;
  if (text.empty() || text.size() + longest > ClusterTable::max_cluster_bytes) {
    return;
  }
  append_utf8(text, c);
  set_cluster(join.x, text);
}

// The mark of a wide character that had no room goes to the one before it, which becomes as wide as
// the two: plainly odd, but a client that shows the same stream has it so.
void ScreenImpl::combine_roomless(char32_t c) {
  Cell* cells = grid().writable(join.y, size.cols);
  Cell& base = cells[join.x];
  std::string text;
  cell_text(base, text);
  constexpr std::size_t longest = 4;
  if (text.size() + longest > ClusterTable::max_cluster_bytes) {
    return;
  }
  if (text.empty()) {
    base = {static_cast<std::uint32_t>(c), {0, base.attributes.background, 0, 0}};
  } else {
    append_utf8(text, c);
    if (!set_cluster(join.x, text)) {
      return;
    }
  }
  if (!base.is_wide()) {
    base.content |= Cell::wide;
    cells[join.x + 1] = Cell{Cell::wide_tail, base.attributes};
  }
}

// Mode 2027: whole grapheme clusters share a cell. True where `c` was taken in.
bool ScreenImpl::join_cluster(char32_t c) {
  if (!joinable || roomless) {
    return false;
  }
  Grid& g = grid();
  const Cell before = g.row(join.y).at(join.x);
  std::string text;
  cell_text(before, text);
  if (text.empty()) {
    return false;
  }
  char32_t last = 0;
  unsigned flags = 0;
  for (std::size_t at = 0; at < text.size();) {
    last = next_utf8(text, at);
    flags = is_regional_indicator(last) ? flags + 1 : 0;
  }
  if (!extends_cluster(last, c, flags)) {
    return false;
  }
  combine(c);
  const bool widens = !before.is_wide() && (c == variation_selector_16 || is_regional_indicator(c));
  const std::uint32_t limit = right_limit();
  if (widens && !cursor.pending && cursor.x < limit && cursor.x == join.x + 1) {
    if (modes.insert) {
      g.insert_cells(cursor.y, cursor.x, limit, 1, pen.look);
    }
    Cell* cells = g.writable(cursor.y, cursor.x + 1);
    if (cursor.x + 1 < g.row(cursor.y).used && cells[cursor.x + 1].is_tail()) {
      cells[cursor.x + 1] = blank_cell(pen.look);
    }
    cells[join.x].content |= Cell::wide;
    cells[cursor.x] = Cell{Cell::wide_tail, cells[join.x].attributes};
    cursor.pending = cursor.x + 1 >= limit;
    cursor.x = cursor.pending ? limit - 1 : cursor.x + 1;
  }
  return true;
}

void ScreenImpl::repeat(std::uint32_t count) {
  if (repeatable != 0) {
    repeats_left = count;
  }
}

void ScreenImpl::run_repeats(std::uint64_t budget) {
  const std::uint64_t stop = work + budget;
  while (repeats_left > 0 && work < stop) {
    --repeats_left;
    print_translated(repeatable);
    joinable = false;
  }
}

}  // namespace troupe::terminal
