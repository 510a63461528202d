// SPDX-License-Identifier: MIT
#include "terminal/checkpoint_writer.hpp"

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
  const Extra& old = extras_.get(look_.extra);
  const Extra& extra = extras_.get(wanted.extra);
  if (looks_ == Looks::keep) {
    if (old.link != extra.link || old.link_id != extra.link_id) {
      out_ += "\x1b]8;";
      out_ += extra.link_id.empty() ? "" : "id=" + extra.link_id;
      out_ += ';' + extra.link + "\x1b\\";
    }
    append_sgr(out_, wanted, extra.underline);
  }
  if (((wanted.flags ^ look_.flags) & attribute::protect) != 0) {
    out_ += (wanted.flags & attribute::protect) != 0 ? "\x1b[1\"q" : "\x1b[0\"q";
  }
  look_ = wanted;
}

void CheckpointWriter::home() {
  out_ += "\x1b[H";
  any_row_ = false;
  column_ = 0;
}

void CheckpointWriter::print(std::string_view text, unsigned width) {
  if (prints_as_one(text, width)) {
    out_ += text;
  } else {
    // A cluster of mode 2027. Whoever does not know it shall not lose the columns behind it.
    out_ += "\x1b[?2027h";
    out_ += text;
    out_ += "\x1b[?2027l";
    if (column_ + width < cols_) {
      control(column_ + width + 1, 'G');
    }
  }
}

void CheckpointWriter::skip_gap() {
  if (gap_ > 0) {
    control(gap_, 'C');
    column_ += gap_;
    gap_ = 0;
  }
}

void CheckpointWriter::put(std::uint32_t x, std::string_view text, unsigned width,
                           const Attributes& wanted) {
  if (text.empty()) {
    if (wanted.background != 0 && looks_ == Looks::keep) {
      skip_gap();
      look(wanted);
      control(1, 'X');
    }
    ++gap_;
  } else {
    skip_gap();
    look(wanted);
    print(text, width);
    column_ += width;
  }
  if (x + width == cols_) {
    last_blank_ = text.empty();
    last_background_ = wanted.background;
  }
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
  look({});
  out_ += "\r\n";
}

// Makes the next row continue this one: something must be printed past the last column. `wide` and
// `text` tell of the next row's first cell.
void CheckpointWriter::soft_break(bool wide, std::string_view text, const Attributes& first) {
  const bool padded = wide && last_blank_;
  const bool filled = !padded && column_ < cols_;
  const Color background = looks_ == Looks::keep ? last_background_ : 0;
  if (padded && column_ + 1 != cols_) {
    control(cols_, 'G');
  } else if (filled) {
    control(cols_, 'G');
    look({});
    out_ += ' ';
  }
  // The new row is filled with the background of what wraps, and the padding takes it too.
  const Attributes trigger{0, padded ? background : 0, 0, 0};
  if (!text.empty() && first.background == trigger.background && !filled &&
      trigger.background == 0) {
    column_ = 0;
    return;  // the first cell itself will do
  }
  look(trigger);
  print(wide ? text : std::string_view{" "}, wide ? 2 : 1);
  out_ += '\r';
  if (filled && rows_ > 1) {
    out_ += "\x1b[A";
    control(cols_, 'G');
    look({0, background, 0, 0});
    out_ += "\x1b[X\x1b[B\r";
  }
  look({});
  control(trigger.background != 0 ? cols_ : 1, 'X');
  column_ = 0;
}

void CheckpointWriter::row(const RowView& view, bool continues) {
  if (any_row_ && !continues) {
    hard_break();
  } else if (any_row_) {
    bool wide = false;
    std::string first;
    Attributes first_look;
    view.for_each([&](std::uint32_t, std::string_view text, unsigned width, const Attributes& a) {
      wide = width == 2;
      first = text;
      first_look = a;
      return false;
    });
    soft_break(wide, first, first_look);
  }
  any_row_ = true;
  column_ = 0;
  gap_ = 0;
  last_blank_ = true;
  last_background_ = 0;
  view.for_each([&](std::uint32_t x, std::string_view text, unsigned width, const Attributes& a) {
    put(x, text, width, a);
    return true;
  });
  gap_ = 0;
}

void CheckpointWriter::line(const History& history, std::size_t index, std::uint32_t first) {
  const Line& line = history.line(index);
  if (first == 0 && !line.runs && line.plain && is_plain(line.text) &&
      line.rows == count_rows(line, cols_)) {
    // Plain text wraps by itself.
    if (any_row_ && line.continues) {
      soft_break(false, std::string_view{line.text}.substr(0, 1), {});
    } else if (any_row_) {
      hard_break();
    }
    any_row_ = true;
    out_ += line.text;
    column_ = line.cells - (line.rows - 1) * cols_;
    gap_ = 0;
    last_blank_ = column_ < cols_;
    last_background_ = 0;
    return;
  }
  for (std::uint32_t r = first; r < line.rows; ++r) {
    const bool continues = r > first || (r == 0 && line.continues);
    row({line, history.start_of(index, r, cols_), cols_}, continues);
  }
}

}  // namespace troupe::terminal
