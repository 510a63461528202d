// SPDX-License-Identifier: MIT
#include "tests/support/screen_state.hpp"

#include <array>
#include <sstream>

namespace troupe::testing {
namespace {

using terminal::Attributes;
using terminal::blank_cell;
using terminal::RowView;
using terminal::SavedCursor;
using terminal::ScreenCursor;
using terminal::ScreenImpl;

std::string show(const Attributes& look, const ScreenImpl& screen) {
  if (look == Attributes{}) {
    return "-";
  }
  const auto& extra = screen.extras.get(look.extra);
  return std::to_string(look.foreground) + '/' + std::to_string(look.background) + '/' +
         std::to_string(look.flags) + '/' + std::to_string(extra.underline) + '/' + extra.link +
         '/' + extra.link_id;
}

std::string show(const ScreenCursor& c) {
  return std::to_string(c.x) + ',' + std::to_string(c.y) + (c.pending ? "!" : "");
}

std::string show(const terminal::Charsets& c) {
  std::string out;
  for (const auto set : c.g) {
    out += static_cast<char>(set);
  }
  return out + std::to_string(c.gl) + std::to_string(c.single_shift);
}

std::string show(const SavedCursor& s, const ScreenImpl& screen) {
  return (s.set ? "set " : "") + show(s.cursor) + (s.origin ? " origin " : " ") +
         show(s.look, screen) + ' ' + show(s.charsets);
}

// `padded`: the next row continues this one with a wide character; how the blank looks that it left
// in the last column is nobody's business. `settled` is a column whose cell may turn from never
// written to a written blank: a pending wrap can only be made by printing. On a screen of one row
// no blank can be unwritten after a wrap.
std::string show_row(const RowView& row, bool continues, const ScreenImpl& screen,
                     std::int64_t settled, bool padded) {
  std::string cells;
  std::string blanks;
  row.for_each([&](std::uint32_t x, std::string_view text, unsigned width, const Attributes& a) {
    const bool settles = x == settled && text == " ";
    if (padded && (text.empty() || settles) && x + 1 == screen.size.cols) {
      return false;
    }
    const bool same = (text.empty() || text == " ") &&
                      (x == settled || screen.size.rows == 1 || blank_cell(a).content != 0);
    std::string cell = same           ? "[~ "
                       : text.empty() ? "[  "
                                      : "[" + std::string{text} + std::to_string(width) + " ";
    cell += (text.empty() || same) && blank_cell(a).content == 0 ? std::to_string(a.background)
                                                                 : show(a, screen);
    cell += ']';
    const bool nothing = (text.empty() || same) && (a == Attributes{} || a.background == 0) &&
                         blank_cell(a).content == 0;
    blanks += cell;
    if (!nothing) {
      cells += blanks;
      blanks.clear();
    }
    return true;
  });
  return (continues ? "> " : "| ") + cells + '\n';
}

bool begins_wide(const RowView& row) {
  bool wide = false;
  row.for_each([&](std::uint32_t, std::string_view, unsigned width, const Attributes&) {
    wide = width == 2;
    return false;
  });
  return wide;
}

std::string show_names(const ScreenImpl& s) {
  std::string out = "names";
  for (const auto& name : s.names) {
    out += ' ' + std::to_string(name.seq) + ':' + std::to_string(name.id);
  }
  return out + " next " + std::to_string(s.next_seq) + '\n';
}

std::string show_modes(const ScreenImpl& s) {
  std::string out;
  terminal::Modes modes = s.modes;
  modes.synchronized = false;
  for (const bool flag : {modes.cursor_keys,     modes.reverse_screen,  modes.origin,
                          modes.autowrap,        modes.blinking_cursor, modes.cursor_visible,
                          modes.reverse_wrap,    modes.keypad,          modes.backarrow_backspace,
                          modes.left_right,      modes.focus,           modes.alternate_scroll,
                          modes.eight_bit_meta,  modes.num_lock,        modes.meta_escape,
                          modes.bracketed_paste, modes.clusters,        modes.scheme_reports,
                          modes.size_reports,    modes.insert,          modes.newline}) {
    out += flag ? '1' : '0';
  }
  return out + " mouse " + std::to_string(s.mouse.protocol) + ' ' +
         std::to_string(s.mouse.encoding) + " other " + std::to_string(s.modify_other_keys) +
         " style " + std::to_string(s.cursor_style) + '\n';
}

std::string show_grid(const terminal::Grid& grid, const ScreenImpl& s, const SavedCursor& saved,
                      const ScreenCursor& cursor) {
  std::string out;
  for (std::uint32_t y = 0; y < grid.rows(); ++y) {
    std::int64_t settled = -1;
    for (const ScreenCursor& c : {saved.cursor, cursor}) {
      settled = c.pending && c.y == y ? c.x : settled;
    }
    const bool cut = s.size.rows == 1;
    const bool padded = y + 1 < grid.rows() && grid.row(y + 1).continues &&
                        begins_wide({grid.row(y + 1), s.clusters});
    out += show_row({grid.row(y), s.clusters}, grid.row(y).continues && !cut, s, settled, padded);
  }
  return out;
}

template <typename T, std::size_t N>
const T& pick(std::mt19937& random, const std::array<T, N>& from) {
  return from[random() % N];
}

}  // namespace

void NoEvents::mark(std::string_view payload, StreamOffset begin, StreamOffset end, bool printed) {
  marks += std::string{payload} + '@' + std::to_string(begin) + '-' + std::to_string(end) +
           (printed ? "+\n" : "\n");
}

void NoEvents::title(std::string_view text, StreamOffset end) {
  titles += std::string{text} + '@' + std::to_string(end) + '\n';
}

void feed_all(ScreenImpl& screen, std::string_view bytes, NoEvents& events, StreamOffset offset,
              std::size_t budget) {
  terminal::FeedResult result{0, true};
  while (!bytes.empty() || result.more) {
    result = screen.feed(bytes, offset, budget, events);
    bytes.remove_prefix(result.consumed);
    offset += result.consumed;
  }
}

std::string describe(const ScreenImpl& s, Names names) {
  std::string out = std::to_string(s.size.cols) + 'x' + std::to_string(s.size.rows) +
                    (s.alternate_active ? " alternate\n" : "\n");
  for (std::size_t i = 0; i < s.history.line_count(); ++i) {
    const auto& line = s.history.line(i);
    for (std::uint32_t r = i == 0 ? s.history.skipped() : 0; r < line.rows; ++r) {
      // Before its successor is looked at: reading backwards starts over.
      const RowView current = s.history_view({i, r});
      const bool cut = s.size.rows == 1;
      const bool last = i + 1 == s.history.line_count() && r + 1 == line.rows;
      const bool next_line = r + 1 == line.rows;
      const bool padded =
          last        ? s.primary.row(0).continues && begins_wide({s.primary.row(0), s.clusters})
          : next_line ? s.history.line(i + 1).continues && begins_wide(s.history_view({i + 1, 0}))
                      : begins_wide(s.history_view({i, r + 1}));
      out += "h" + show_row(current, (r > 0 || line.continues) && !cut, s, -1, padded);
    }
  }
  const ScreenCursor primary = s.primary_position();
  out += show_grid(s.primary, s, s.saved_cursors[0], primary);
  if (s.alternate_active) {
    out += "alternate\n" + show_grid(*s.alternate, s, s.saved_cursors[1], s.cursor);
    out += "primary cursor " + show(primary) + " saved " + show(s.saved_cursors[0], s) + '\n';
  }
  out += "cursor " + show(s.cursor) + " saved " +
         show(s.saved_cursors[s.alternate_active ? 1 : 0], s) + '\n';
  out += "pen " + show(s.pen.look, s) + " charsets " + show(s.charsets) + '\n';
  out += "margins " + std::to_string(s.margins.top) + '-' + std::to_string(s.margins.bottom);
  if (s.modes.left_right) {
    out += ' ' + std::to_string(s.margins.left) + '-' + std::to_string(s.margins.right);
  }
  out += "\ntabs ";
  for (const bool stop : s.tabs) {
    out += stop ? '1' : '0';
  }
  out += "\nmodes " + show_modes(s);
  for (std::size_t i = 0; i < (s.alternate_active ? 2U : 1U); ++i) {
    out += "keyboard " + std::to_string(s.keyboards[i].flags);
    for (const auto flags : s.keyboards[i].below) {
      out += ' ' + std::to_string(flags);
    }
    out += '\n';
  }
  out += "title " + s.title + "\ndirectory " + s.directory + '\n';
  for (const auto& [index, color] : s.palette_changes) {
    out += "palette " + std::to_string(index) + ' ' + std::to_string(color) + '\n';
  }
  out += "partial " + std::string{s.decoder.partial()} + ' ' + s.tokenizer.partial() + '\n';
  return names == Names::include ? out + show_names(s) : out;
}

std::string difference(const std::string& expected, const std::string& got) {
  if (expected == got) {
    return {};
  }
  std::istringstream a{expected};
  std::istringstream b{got};
  std::string x;
  std::string y;
  do {
    x.clear();
    y.clear();
    std::getline(a, x);
    std::getline(b, y);
  } while (x == y && (a || b));
  return "expected: " + x + "\ngot:      " + y;
}

std::string random_token(std::mt19937& random, std::uint32_t cols, std::uint32_t rows) {
  using namespace std::string_literals;
  const auto number = [&](std::uint32_t top) {
    const auto kind = random() % 16;
    return kind == 0   ? ""s
           : kind == 1 ? "0"s
           : kind == 2 ? "65535"s
                       : std::to_string(1 + random() % top);
  };
  static const std::array<std::string, 24> text = {"a",
                                                   "hello world ",
                                                   "x\u0301",
                                                   "中",
                                                   "日本語",
                                                   "日本語文字列日本語文字列",
                                                   "0123456789abcdef",
                                                   "    ",
                                                   "\U0001F600",
                                                   "\u2764\uFE0F",
                                                   "\U0001F468\u200D\U0001F469",
                                                   "\U0001F1E9\U0001F1EA",
                                                   "q`x",
                                                   "\xff",
                                                   "\xe4\xb8",
                                                   "\u009B",
                                                   "the quick brown fox jumps over the lazy dog ",
                                                   "\u0301",
                                                   "#",
                                                   "ab\u0308c",
                                                   "中\u0323",
                                                   "the end of the row, and on: 日\u0308",
                                                   "\u0E44\u0E17\u0E22 한글 \u07FF\u0800\uD7FF",
                                                   "\xe0\x9f\xbf\xed\xa0\x80x"};
  static const std::array<std::string, 12> newline = {"\r\n",
                                                      "\r\n",
                                                      "\n",
                                                      "\r",
                                                      "\x1b"
                                                      "D",
                                                      "\x1b"
                                                      "E",
                                                      "\x1bM",
                                                      "\b",
                                                      "\t",
                                                      "\x1bH",
                                                      "\v",
                                                      "\r\n\r\n"};
  static const std::array<std::string, 24> fixed = {"\x1b[r",
                                                    "\x1b[?6h",
                                                    "\x1b[?6l",
                                                    "\x1b[?7l",
                                                    "\x1b[?7h",
                                                    "\x1b[4h",
                                                    "\x1b[4l",
                                                    "\x1b"
                                                    "7",
                                                    "\x1b"
                                                    "8",
                                                    "\x1b[?1049h",
                                                    "\x1b[?1049l",
                                                    "\x1b[?1047h",
                                                    "\x1b[?1047l",
                                                    "\x1b[?47l",
                                                    "\x1b(0",
                                                    "\x1b(B",
                                                    "\x0e",
                                                    "\x0f",
                                                    "\x1b)0",
                                                    "\x1b[s",
                                                    "\x1b[u",
                                                    "\x1b[3g",
                                                    "\x1b[!p",
                                                    "\x1b[?69l"};
  static const std::array<std::string, 32> rare = {
      "\x1b"
      "c",
      "\x1b#8",
      "\x1b[3J",
      "\x1b[?2027h",
      "\x1b[?2027l",
      "\x1b[1\"q",
      "\x1b[0\"q",
      "\x1b[>1u",
      "\x1b[>5u",
      "\x1b[<u",
      "\x1b[=3;1u",
      "\x1b[?1000h",
      "\x1b[?1003h",
      "\x1b[?1006h",
      "\x1b[?1016h",
      "\x1b[?1000l",
      "\x1b[?2004h",
      "\x1b[?1h",
      "\x1b[?25l",
      "\x1b[4 q",
      "\x1b]8;;http://a/\x1b\\",
      "\x1b]8;id=1;http://b/\a",
      "\x1b]8;;\a",
      "\x1b]2;title\a",
      "\x1b]4;1;#ff0000\a",
      "\x1b]7;file:///x\a",
      "\x1b[>4;2m",
      "\x1bN",
      "\x1bn",
      "\x1b[?45h",
      "\x1b[20h",
      "\x1b]133;A\a"};
  static const std::array<std::string, 10> cut = {"\x1b",   "\x1b[",   "\x1b[3",  "\x1b]2;x",
                                                  "\x1b[?", "\x18",    "\x1bP$q", "\x1b_x",
                                                  "\x7f",   "\x1b[1;2"};
  static const std::string finals = "ABCDEFG`adeHfIZ@PXLMSTJK";
  switch (random() % 12) {
    case 0:
    case 1:
    case 2:
      return pick(random, text);
    case 3:
      return pick(random, newline);
    case 4:
      return "\x1b[" + number(rows + 1) + ';' + number(cols + 1) + 'H';
    case 5:
    case 6: {
      const char f = finals[random() % finals.size()];
      return (f == 'J' || f == 'K')
                 ? "\x1b["s + (random() % 6 == 0 ? "?" : "") + std::to_string(random() % 3) + f
                 : "\x1b[" + number(f == 'G' || f == 'H' ? cols : rows + 2) + f;
    }
    case 7: {
      static const std::array<std::string, 16> sgr = {
          "0",          "",    "1",      "4",           "7",  "31",  "44", "48;5;100",
          "38;2;1;2;3", "4:3", "58;5;9", "58:2::1:2:3", "53", "2;9", "49", "27;24"};
      return "\x1b[" + pick(random, sgr) + ';' + pick(random, sgr) + 'm';
    }
    case 8: {
      const auto top = static_cast<std::uint32_t>(1 + random() % rows);
      return random() % 3 == 0 ? "\x1b[" + std::to_string(top) + ';' +
                                     std::to_string(top + 1 + random() % rows) + 'r'
             : random() % 8 == 0 ? "\x1b[?69h\x1b[" + number(cols) + ';' + number(cols) + 's'
             : random() % 2 == 0 ? "\x1b[" + std::to_string(cols) + "G" + pick(random, text)
                                 : pick(random, text) + "\x1b[" + number(9) + 'b';
    }
    case 9:
      return pick(random, fixed);
    case 10:
      return random() % 2 == 0 ? pick(random, rare) : pick(random, fixed);
    default:
      return random() % 6 == 0 ? pick(random, cut)
             : random() % 4 == 0
                 ? "\x1b["s + std::to_string(1 + random() % 4) + (random() % 2 == 0 ? "'}" : "'~")
             : random() % 3 == 0
                 ? "\x1b["s + std::to_string(1 + random() % 4) + (random() % 2 == 0 ? " @" : " A")
                 : pick(random, text);
  }
}

ScreenImpl restored(const ScreenImpl& screen) {
  ScreenImpl copy{screen.size, screen.limits};
  NoEvents events;
  feed_all(copy, screen.checkpoint(terminal::all_history).bytes, events);
  return copy;
}

}  // namespace troupe::testing
