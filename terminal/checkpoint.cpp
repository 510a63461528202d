// SPDX-License-Identifier: MIT
// The checkpoint: what a fresh terminal of the same size must be fed to become like this one.
#include "terminal/checkpoint_writer.hpp"
#include "terminal/screen_impl.hpp"

namespace troupe::terminal {
namespace {

constexpr struct {
  bool Modes::*flag;
  unsigned number;
} listed_modes[] = {
    {&Modes::cursor_keys, 1},       {&Modes::reverse_screen, 5},
    {&Modes::blinking_cursor, 12},  {&Modes::reverse_wrap, 45},
    {&Modes::keypad, 66},           {&Modes::backarrow_backspace, 67},
    {&Modes::focus, 1004},          {&Modes::alternate_scroll, 1007},
    {&Modes::eight_bit_meta, 1034}, {&Modes::num_lock, 1035},
    {&Modes::meta_escape, 1036},    {&Modes::bracketed_paste, 2004},
    {&Modes::clusters, 2027},       {&Modes::scheme_reports, 2031},
    {&Modes::size_reports, 2048},
};

std::string hex_color(Color color) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "rgb:";
  for (unsigned shift = 24; shift > 0; shift -= 8) {
    const unsigned part = (color >> (shift - 8)) & 255U;
    out += digits[part >> 4U];
    out += digits[part & 15U];
    out += shift > 8 ? "/" : "";
  }
  return out;
}

std::string keyboard_bytes(const KeyboardStack& stack) {
  std::string out;
  const auto flags_of = [](unsigned flags) { return std::to_string(flags); };
  if (stack.below.empty()) {
    return stack.flags == 0 ? out : "\x1b[=" + flags_of(stack.flags) + ";1u";
  }
  if (stack.below[0] != 0) {
    out += "\x1b[=" + flags_of(stack.below[0]) + ";1u";
  }
  for (std::size_t i = 1; i < stack.below.size(); ++i) {
    out += "\x1b[>" + flags_of(stack.below[i]) + "u";
  }
  return out + "\x1b[>" + flags_of(stack.flags) + "u";
}

// Everything of a cursor that DECSC would keep, in an order in which nothing undoes what came
// before: origin mode homes, printing needs the plain character sets.
class CursorWriter {
 public:
  explicit CursorWriter(CheckpointWriter& out) : out_(out) {}

  /// `inside`: the margins that are in force.
  void write(const SavedCursor& want, const Grid& grid, const Rectangle& inside) {
    if (want.origin != origin_) {
      out_.raw(want.origin ? "\x1b[?6h" : "\x1b[?6l");
      origin_ = want.origin;
    }
    write_charsets({});
    const std::uint32_t top = want.origin ? inside.top : 0;
    const std::uint32_t left = want.origin ? inside.left : 0;
    const Row& row = grid.row(want.cursor.y);
    std::uint32_t x = want.cursor.x;
    x -= want.cursor.pending && row.at(x).is_tail() ? 1U : 0U;
    const std::uint32_t y = want.cursor.y;
    out_.raw("\x1b[" + std::to_string(y - std::min(y, top) + 1) + ";" +
             std::to_string(x - std::min(x, left) + 1) + "H");
    if (want.cursor.pending) {
      out_.cell(row.at(x));
    }
    out_.look(want.look);
    write_charsets(want.charsets);
  }

 private:
  void write_charsets(const Charsets& want) {
    static constexpr char slots[] = "()*+";
    for (std::size_t g = 0; g < want.g.size(); ++g) {
      if (want.g[g] != charsets_.g[g]) {
        out_.raw(std::string{"\x1b"} + slots[g] + static_cast<char>(want.g[g]));
      }
    }
    if (want.gl != charsets_.gl) {
      static constexpr const char* shifts[] = {"\x0f", "\x0e", "\x1bn", "\x1bo"};
      out_.raw(shifts[want.gl]);
    }
    if (want.single_shift != 0) {
      out_.raw(want.single_shift == 2 ? "\x1bN" : "\x1bO");
    }
    charsets_ = want;
  }

  CheckpointWriter& out_;
  Charsets charsets_;
  bool origin_ = false;
};

void write_globals(const ScreenImpl& s, CheckpointWriter& out) {
  if (!s.title.empty()) {
    out.raw("\x1b]2;" + s.title + "\x1b\\");
  }
  if (!s.directory.empty()) {
    out.raw("\x1b]7;" + s.directory + "\x1b\\");
  }
  constexpr unsigned dynamic_base = 256;
  for (const auto& [index, color] : s.palette_changes) {
    const std::string name =
        index < dynamic_base ? "4;" + std::to_string(index) : std::to_string(index - dynamic_base);
    out.raw("\x1b]" + name + ";" + hex_color(color) + "\x1b\\");
  }
}

void write_tabs(const ScreenImpl& s, CheckpointWriter& out) {
  bool usual = true;
  for (std::size_t x = 0; x < s.tabs.size(); ++x) {
    usual = usual && s.tabs[x] == (x % 8 == 0);
  }
  if (usual) {
    return;
  }
  out.raw("\x1b[3g");
  for (std::size_t x = 0; x < s.tabs.size(); ++x) {
    if (s.tabs[x]) {
      out.raw("\x1b[" + std::to_string(x + 1) + "G\x1bH");
    }
  }
}

void write_margins(const ScreenImpl& s, CheckpointWriter& out) {
  const Rectangle& m = s.margins;
  if (m.top != 0 || m.bottom != s.size.rows) {
    out.raw("\x1b[" + std::to_string(m.top + 1) + ";" + std::to_string(m.bottom) + "r");
  }
  if (s.modes.left_right) {
    out.raw("\x1b[?69h\x1b[" + std::to_string(m.left + 1) + ";" + std::to_string(m.right) + "s");
  }
}

void write_modes(const ScreenImpl& s, CheckpointWriter& out) {
  for (const auto& [flag, number] : listed_modes) {
    if (s.modes.*flag) {
      out.raw("\x1b[?" + std::to_string(number) + "h");
    }
  }
  if (s.mouse.protocol != 0) {
    out.raw("\x1b[?" + std::to_string(s.mouse.protocol) + "h");
  }
  if (s.mouse.encoding != 0) {
    out.raw("\x1b[?" + std::to_string(s.mouse.encoding) + "h");
  }
  if (s.modify_other_keys != 0) {
    out.raw("\x1b[>4;" + std::to_string(s.modify_other_keys) + "m");
  }
  if (s.cursor_style != 0) {
    out.raw("\x1b[" + std::to_string(s.cursor_style) + " q");
  }
  out.raw(s.modes.autowrap ? "" : "\x1b[?7l");
  out.raw(s.modes.cursor_visible ? "" : "\x1b[?25l");
  out.raw(s.modes.insert ? "\x1b[4h" : "");
  out.raw(s.modes.newline ? "\x1b[20h" : "");
}

// History rows to carry: the newest ones, from a logical line's beginning where one begins in their
// older half; all of them where that many are asked for.
History::Place first_place(const History& history, std::size_t wanted) {
  if (wanted >= history.rows()) {
    return {0, history.skipped()};
  }
  History::Place place{history.line_count(), 0};
  for (std::size_t left = wanted; left > 0;) {
    --place.line;
    const Line& line = history.line(place.line);
    const auto take = static_cast<std::uint32_t>(std::min<std::size_t>(left, line.rows));
    left -= take;
    place.row = line.rows - take;
  }
  std::size_t lost = 0;
  History::Place head = place;
  while (head.line < history.line_count() && lost <= wanted / 2) {
    const Line& line = history.line(head.line);
    if (head.row == 0 && !line.continues) {
      return head;
    }
    lost += line.rows - head.row;
    head = {head.line + 1, 0};
  }
  return place;
}

void write_primary(const ScreenImpl& s, std::size_t rows, CheckpointWriter& out) {
  const History::Place first = first_place(s.history, rows);
  for (std::size_t i = first.line; i < s.history.line_count(); ++i) {
    out.line(s.history, i, i == first.line ? first.row : 0);
  }
  // Blank rows at the end need no line feed where nothing has to scroll away.
  std::uint32_t end = s.size.rows;
  const bool scrolled = first.line < s.history.line_count();
  while (!scrolled && end > 0 && s.primary.row(end - 1).used == 0 &&
         !s.primary.row(end - 1).continues) {
    --end;
  }
  for (std::uint32_t y = 0; y < end; ++y) {
    out.row({s.primary.row(y), s.clusters}, s.primary.row(y).continues);
  }
  out.end_rows();
}

// The hidden primary screen's saved cursor and cursor, then the switch. 1049 keeps the cursor in
// the slot, so it is used where both agree, as they do where a program entered by it.
void write_switch(const ScreenImpl& s, CheckpointWriter& out) {
  const SavedCursor& saved = s.saved_cursors[0];
  const bool same = saved.set && saved.cursor == s.primary_cursor;
  CursorWriter cursor{out};
  if (saved.set) {
    cursor.write(saved, s.primary, {});
    out.raw(same ? "\x1b[?1049h"
                 : "\x1b"
                   "7");
    cursor.write({}, s.primary, {});
  }
  if (!same) {
    cursor.write({s.primary_cursor, false, false, {}, {}}, s.primary, {});
    out.raw("\x1b[?1047h");
  } else if (saved.look.background != 0) {
    out.raw("\x1b[2J");
  }
}

std::string compose(const ScreenImpl& s, std::size_t history_rows, Looks looks) {
  CheckpointWriter out{s.size.cols, s.size.rows, s.clusters, s.extras, looks};
  write_globals(s, out);
  out.raw(keyboard_bytes(s.keyboards[0]));
  write_primary(s, history_rows, out);
  if (s.alternate_active) {
    write_switch(s, out);
    out.raw(keyboard_bytes(s.keyboards[1]));
    out.home();
    for (std::uint32_t y = 0; y < s.size.rows; ++y) {
      out.row({s.alternate->row(y), s.clusters}, s.alternate->row(y).continues);
    }
    out.end_rows();
  }
  write_tabs(s, out);
  // A saved cursor may lie outside of the margins: it is made before they are.
  CursorWriter cursor{out};
  const SavedCursor& saved = s.saved_cursors[s.alternate_active ? 1 : 0];
  if (saved.set) {
    cursor.write(saved, s.grid(), {});
    out.raw(
        "\x1b"
        "7");
    cursor.write({}, s.grid(), {});
  }
  write_margins(s, out);
  Rectangle inside = s.margins;
  inside.left = s.modes.left_right ? inside.left : 0;
  cursor.write({s.cursor, s.modes.origin, false, s.pen.look, s.charsets}, s.grid(), inside);
  write_modes(s, out);
  out.raw(s.decoder.partial());
  out.raw(s.tokenizer.partial());
  return out.take();
}

}  // namespace

Checkpoint ScreenImpl::checkpoint(std::size_t history_rows) const {
  std::size_t rows = std::min(history_rows, history.rows());
  Checkpoint result{compose(*this, rows, Looks::keep), false};
  while (result.bytes.size() > limits.checkpoint_bytes && rows > 0) {
    rows /= 2;
    result = {compose(*this, rows, Looks::keep), true};
  }
  if (result.bytes.size() > limits.checkpoint_bytes) {
    result = {compose(*this, 0, Looks::drop), true};
  }
  return result;
}

}  // namespace troupe::terminal
