// SPDX-License-Identifier: MIT
#include "terminal/checkpoint_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "terminal/sgr.hpp"
#include "terminal/width.hpp"

namespace troupe::terminal {
namespace {

// Printed code point by code point, the text fills one cell of this width.
bool prints_as_one(std::string_view text, unsigned width) {
  std::size_t at = 0;
  bool one = character_width(next_utf8(text, at)) == width;
  while (one && at < text.size()) {
    one = character_width(next_utf8(text, at)) == 0;
  }
  return one;
}

// A character that took the mark of a wide one which had no room: as wide as two, without being a
// cluster of mode 2027. It may be the mark alone.
bool is_widened(std::string_view text, unsigned width) {
  std::size_t at = 0;
  bool widened = width == 2 && character_width(next_utf8(text, at)) < 2;
  while (widened && at < text.size()) {
    const char32_t c = next_utf8(text, at);
    widened = c != variation_selector_16 && character_width(c) == 0;
  }
  return widened;
}

// The columns that a cluster of mode 2027 takes where it has room.
unsigned cluster_width(std::string_view text) {
  std::size_t at = 0;
  unsigned width = character_width(next_utf8(text, at));
  while (at < text.size()) {
    const char32_t c = next_utf8(text, at);
    if (c == variation_selector_16 || is_regional_indicator(c)) {
      width = 2;
    }
  }
  return width;
}

// What wraps where a wide character must, whatever the reader's tables and modes.
constexpr const char* wide_blank = "\u3000";

bool is_plain(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      return false;
    }
  }
  return true;
}

}  // namespace

void CheckpointWriter::control(std::uint32_t number, char final) {
  out_ += "\x1b[";
  if (number != 1) {
    out_ += std::to_string(number);
  }
  out_ += final;
}

void CheckpointWriter::look(const Attributes& wanted) {
  if (wanted == look_) {
    return;
  }
  if (looks_ == Looks::keep) {
    if (((wanted.flags | look_.flags) & attribute::linked) != 0) {
      switch_link(extras_.get(look_.extra), extras_.get(wanted.extra));
    }
    // Programs use few looks, and use them again and again.
    const std::uint32_t mixed = wanted.foreground * 31U + wanted.background * 17U + wanted.flags;
    auto& [known, sequence] = sequences_[(mixed ^ (mixed >> 8U)) % sequences_.size()];
    if (known != wanted || sequence.empty()) {
      known = wanted;
      sequence.clear();
      append_sgr(sequence, wanted, extras_.get(wanted.extra).underline);
    }
    out_ += sequence;
  }
  if (((wanted.flags ^ look_.flags) & attribute::protect) != 0) {
    out_ += (wanted.flags & attribute::protect) != 0 ? "\x1b[1\"q" : "\x1b[0\"q";
  }
  look_ = wanted;
}

void CheckpointWriter::switch_link(const Extra& old, const Extra& extra) {
  if (old.link != extra.link || old.link_id != extra.link_id) {
    out_ += "\x1b]8;";
    out_ += extra.link_id.empty() ? "" : "id=" + extra.link_id;
    out_ += ';' + extra.link + "\x1b\\";
  }
}

void CheckpointWriter::home() {
  out_ += "\x1b[H";
  any_row_ = false;
  column_ = 0;
}

void CheckpointWriter::print(std::string_view text, unsigned width) {
  if (text.size() == 1 || prints_as_one(text, width)) {
    out_ += text;
  } else if (is_widened(text, width)) {
    std::size_t first = 0;
    const bool mark_alone = character_width(next_utf8(text, first)) == 0;
    print_widened(text, mark_alone ? 0 : first);
  } else if (cluster_width(text) < width) {
    print_widened(text, cut_utf8(text, text.size() - 1).size());
  } else if (cluster_width(text) > width && column_ + 1 < cols_) {
    print_narrowed(text);
  } else {
    print_cluster(text);
    // Whoever does not know the mode shall not lose the columns behind it.
    if (column_ + width < cols_) {
      control(column_ + width + 1, 'G');
    }
  }
}

void CheckpointWriter::print_cluster(std::string_view text) {
  out_ += "\x1b[?2027h";
  out_ += text;
  out_ += "\x1b[?2027l";
}

// Only where a wide character has no room does a narrow one become wide. What is printed after it
// makes the wrap pend, unseen. Elsewhere in the row it is moved there by deleting what is before.
// At the end it is made without CUF or CHA: in origin mode these change the row in xterm.js.
// What is before the marks was there before and may be a cluster of mode 2027.
void CheckpointWriter::print_widened(std::string_view text, std::size_t marks) {
  const std::uint32_t x = std::min(column_, cols_ - 2);
  const bool elsewhere = x + 2 < cols_;
  if (elsewhere) {
    control(cols_ - 1, 'G');
  }
  const std::string_view base = text.substr(0, marks);
  if (base.empty()) {
    control(1, 'X');
    out_ += '\t';
  } else if (prints_as_one(base, 1)) {
    out_ += base;
  } else {
    print_cluster(base);
  }
  out_ += "\x1b[?7l";
  out_ += wide_blank;
  out_ += text.substr(marks);
  out_ += " \x1b[?7h";
  if (elsewhere) {
    take_back(x, 2);
  }
}

// At the end of a row a flag had one column, and kept it when it was moved.
void CheckpointWriter::print_narrowed(std::string_view text) {
  control(cols_, 'G');
  print_cluster(text);
  take_back(column_, 1);
}

// Moves what was printed at the end of the row to where it belongs; nothing is behind it yet.
void CheckpointWriter::take_back(std::uint32_t x, std::uint32_t width) {
  const Attributes wanted = look_;
  look({});
  control(x + 1, 'G');
  control(cols_ - width - x, 'P');
  control(x + width + 1, 'G');
  look(wanted);
}

// Erases the blanks with a background that were gathered, and stands before them as a gap.
void CheckpointWriter::flush_erase() {
  if (erase_ > 0) {
    const std::uint32_t count = std::exchange(erase_, 0);
    skip_gap();
    look({0, erase_background_, 0, 0});
    control(count, 'X');
    gap_ += count;
  }
}

void CheckpointWriter::skip_gap() {
  flush_erase();
  if (gap_ > 0) {
    control(gap_, 'C');
    column_ += gap_;
    gap_ = 0;
  }
}

void CheckpointWriter::put(std::uint32_t x, std::string_view text, unsigned width,
                           const Attributes& wanted) {
  const bool last = x + width == cols_;
  const bool shows = looks_ == Looks::keep && blank_cell(wanted).content != 0;
  if (last) {
    last_blank_ = text.empty();
    last_look_ = looks_ == Looks::keep ? wanted : Attributes{};
    owed_ = text.empty() && shows;
  }
  if (text.empty() && (!shows || last)) {
    const Color background = looks_ == Looks::keep ? wanted.background : 0;
    if (background == 0) {
      flush_erase();
      ++gap_;
    } else {
      if (background != erase_background_) {
        flush_erase();
      }
      erase_background_ = background;
      ++erase_;
    }
    return;
  }
  skip_gap();
  look(wanted);
  print(text.empty() ? std::string_view{" "} : text, width);
  column_ += width;
}

// A blank in the last column with an underline or the like: only a padding that wraps can make it;
// elsewhere it becomes a blank that was written.
void CheckpointWriter::pay_last_column() {
  if (owed_) {
    control(cols_, 'G');
    look(last_look_);
    out_ += ' ';
    column_ = cols_;
    last_blank_ = false;
    owed_ = false;
  }
}

void CheckpointWriter::end_rows() {
  pay_last_column();
  look({});
}

void CheckpointWriter::cell(const Cell& cell) {
  look(cell.attributes);
  std::string text;
  if (cell.is_cluster()) {
    text = clusters_.text(cell.value());
  } else if (!cell.unwritten() && !cell.is_tail()) {
    append_utf8(text, cell.value());
  }
  column_ = cols_;
  print(text.empty() ? std::string_view{" "} : text, cell.is_wide() ? 2 : 1);
}

void CheckpointWriter::hard_break() {
  pay_last_column();
  look({});
  out_ += "\r\n";
}

// The first row continues one that is not here: print one, wrap, and delete it.
void CheckpointWriter::begin_continued(bool wide) {
  if (rows_ == 1) {
    return;
  }
  control(cols_, 'G');
  out_ += ' ';
  out_ += wide ? wide_blank : " ";
  out_ += "\r\x1b[A\x1b[M\x1b[X";
}

// Makes the next row continue this one: something must be printed past the last column. `wide` and
// `text` tell of the next row's first cell.
void CheckpointWriter::soft_break(bool wide, std::string_view text, const Attributes& first) {
  const bool padded = wide && last_blank_;
  if (!padded) {
    pay_last_column();
  }
  owed_ = false;
  const bool filled = !padded && column_ < cols_;
  if (padded && column_ + 1 != cols_) {
    control(cols_, 'G');
  } else if (filled) {
    // A screen of one row cannot go back to take the blank away again.
    control(cols_, 'G');
    look({0, rows_ == 1 ? last_look_.background : 0, 0, 0});
    out_ += ' ';
  }
  // The new row is filled with the background of what wraps, and the padding looks like it.
  const Attributes trigger = padded ? last_look_ : Attributes{};
  column_ = 0;
  if (!text.empty() && prints_as_one(text, wide ? 2 : 1) && !filled && first.background == 0 &&
      trigger == Attributes{} && (!padded || first == Attributes{})) {
    return;  // the first cell itself will do
  }
  look(trigger);
  out_ += wide ? wide_blank : " ";
  out_ += '\r';
  if (filled && rows_ > 1) {
    out_ += "\x1b[A";
    control(cols_, 'G');
    look({0, last_look_.background, 0, 0});
    out_ += "\x1b[X\x1b[B\r";
  }
  look({});
  control(trigger.background != 0 ? cols_ : 1, 'X');
}

void CheckpointWriter::row(const RowView& view, bool continues) {
  bool wide = false;
  std::string first;
  Attributes first_look;
  view.for_each([&](std::uint32_t, std::string_view text, unsigned width, const Attributes& a) {
    wide = width == 2;
    first = text;
    first_look = a;
    return false;
  });
  if (any_row_ && !continues) {
    hard_break();
  } else if (any_row_) {
    soft_break(wide, first, first_look);
  } else if (continues) {
    begin_continued(wide);
  }
  any_row_ = true;
  column_ = 0;
  gap_ = 0;
  last_blank_ = true;
  last_look_ = {};
  owed_ = false;
  view.for_each([&](std::uint32_t x, std::string_view text, unsigned width, const Attributes& a) {
    put(x, text, width, a);
    return true;
  });
  flush_erase();
  gap_ = 0;
}

// All of it is ASCII that was written: run by run instead of cell by cell. What has one look wraps
// by itself; a look could reach into the row below.
bool CheckpointWriter::is_simple(const Line& line) const {
  if (line.continues || !line.plain || !is_plain(line.text)) {
    return false;
  }
  return line.runs ? line.rows == 1 && line.cells <= cols_ : line.rows == count_rows(line, cols_);
}

void CheckpointWriter::simple_line(const Line& line) {
  if (any_row_) {
    hard_break();
  }
  any_row_ = true;
  std::string_view text = line.text;
  for (std::size_t i = 0; line.runs && i < line.runs->size(); ++i) {
    const StyleRun& run = (*line.runs)[i];
    look(run.attributes);
    out_ += text.substr(0, run.cells);
    text.remove_prefix(run.cells);
  }
  if (!text.empty()) {  // what follows the last run looks default
    look({});
    out_ += text;
  }
  column_ = line.cells - (line.rows - 1) * cols_;
  gap_ = 0;
  last_blank_ = column_ < cols_;
  last_look_ = last_blank_ || looks_ == Looks::drop ? Attributes{} : look_;
  owed_ = false;
}

void CheckpointWriter::line(const History& history, std::size_t index, std::uint32_t first) {
  const Line& line = history.line(index);
  if (first == 0 && is_simple(line)) {
    simple_line(line);
    return;
  }
  for (std::uint32_t r = first; r < line.rows; ++r) {
    const bool continues = r > 0 || line.continues;
    row({line, history.start_of(index, r, cols_), cols_}, continues);
  }
}

}  // namespace troupe::terminal
