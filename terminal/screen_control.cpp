// SPDX-License-Identifier: MIT
// Dispatch of controls and sequences.
#include "terminal/screen_impl.hpp"

namespace troupe::terminal {

void ScreenImpl::control(unsigned char c) {
  switch (c) {
    case 0x07:
      return events->bell();
    case 0x08:
      joinable = false;
      return backspace();
    case 0x09:
      joinable = false;
      return tab(1);
    case 0x0A:
    case 0x0B:
    case 0x0C:
      joinable = false;
      return line_feed();
    case 0x0D:
      joinable = false;
      return carriage_return();
    case 0x0E:
      charsets.gl = 1;
      return;
    case 0x0F:
      charsets.gl = 0;
      return;
    default:
      return;
  }
}

void ScreenImpl::designate(char slot, char set) {
  const auto g = static_cast<std::size_t>(slot - '(');
  charsets.g[g] = set == '0' ? Charset::graphics : set == 'A' ? Charset::british : Charset::ascii;
}

void ScreenImpl::escape_sequence() {
  const char f = tokenizer.final();
  const char i = tokenizer.intermediate();
  joinable = false;
  if (i == '(' || i == ')' || i == '*' || i == '+') {
    return designate(i, f);
  }
  if (i == '#') {
    return f == '8' ? alignment_test() : void();
  }
  if (i == '%') {
    return f == 'G' || f == '@' ? designate('(', 'B') : void();
  }
  if (i != 0) {
    return;
  }
  switch (f) {
    case '7':
      return save_cursor();
    case '8':
      return restore_cursor();
    case '=':
      modes.keypad = true;
      return;
    case '>':
      modes.keypad = false;
      return;
    case 'D':
      index();
      break;
    case 'E':
      carriage_return();
      index();
      break;
    case 'H':
      if (!cursor.pending) {
        tabs[cursor.x] = true;
      }
      return;
    case 'M':
      return reverse_index();
    case 'N':
      charsets.single_shift = 2;
      return;
    case 'O':
      charsets.single_shift = 3;
      return;
    case 'Z':
      return reply("\x1b[?62;22c");
    case 'c':
      return full_reset();
    case 'n':
      charsets.gl = 2;
      return;
    case 'o':
      charsets.gl = 3;
      return;
    default:
      return;
  }
  if (watch_lines && !alternate_active) {
    finish_line();
  }
}

void ScreenImpl::control_sequence() {
  const char f = tokenizer.final();
  const char prefix = tokenizer.prefix();
  const char i = tokenizer.intermediate();
  if (f == 'm' && prefix == 0 && i == 0) {
    if (apply_sgr(tokenizer.parameters(), pen)) {
      update_pen_extra();
    }
    return;
  }
  Parameters p = tokenizer.parameters();
  joinable = false;
  // Subparameters mean something to SGR only.
  std::size_t kept = 0;
  for (std::size_t n = 0; n < p.count; ++n) {
    if (!p.values[n].sub) {
      p.values[kept++] = p.values[n];
    }
  }
  p.count = kept;
  if (i == ' ') {
    return prefix == 0 ? spaced_sequence(f, p) : void();
  }
  if (i == '!') {
    return f == 'p' && prefix == 0 ? soft_reset() : void();
  }
  if (i == '$') {
    return f == 'p' && (prefix == 0 || prefix == '?') ? report_mode(p.get(0), prefix == '?')
                                                      : void();
  }
  if (i == '"') {
    if (f == 'q' && prefix == 0) {
      const bool on = p.get(0) == 1;
      const auto flags = pen.look.flags & ~unsigned{attribute::protect};
      pen.look.flags = static_cast<std::uint16_t>(flags | (on ? attribute::protect : 0U));
    }
    return;
  }
  if (i == '\'') {
    if (prefix == 0 && (f == '}' || f == '~')) {
      edit_lines(f == '}' ? Edit::insert_columns : Edit::delete_columns, p.or_else(0, 1));
    }
    return;
  }
  if (i != 0) {
    return;
  }
  if (prefix == 0) {
    return plain_sequence(f, p);
  }
  return prefix == '?' ? private_sequence(f, p) : keyboard_sequence(prefix, p);
}

void ScreenImpl::plain_sequence(char final, const Parameters& p) {
  const std::uint32_t n = p.or_else(0, 1);
  const auto count = static_cast<std::int64_t>(n);
  switch (final) {
    case '@':
      return edit_chars(Edit::insert_chars, n);
    case 'A':
      return cursor_up(n);
    case 'B':
      return cursor_down(n);
    case 'C':
    case 'a':
      return move_by(count, 0);
    case 'D':
      return move_by(-count, 0);
    case 'E':
      cursor_down(n);
      return carriage_return();
    case 'F':
      cursor_up(n);
      return carriage_return();
    case 'G':
    case '`':
      return move_column(n - 1);
    case 'H':
    case 'f':
      return move_to(p.or_else(1, 1) - 1, n - 1);
    case 'I':
      return tab(n);
    case 'J':
      return erase_in_display(p.get(0), Erase::all);
    case 'K':
      return erase_in_line(p.get(0), Erase::all);
    case 'L':
      return edit_lines(Edit::insert_lines, n);
    case 'M':
      return edit_lines(Edit::delete_lines, n);
    case 'P':
      return edit_chars(Edit::delete_chars, n);
    case 'S':
      return edit_lines(Edit::scroll_up, n);
    case 'T':
      return p.count <= 1 ? edit_lines(Edit::scroll_down, n) : void();
    case 'X':
      return edit_chars(Edit::erase_chars, n);
    case 'Z':
      return back_tab(n);
    case 'b':
      return repeat(n);
    case 'c':
      return p.get(0) == 0 ? reply("\x1b[?62;22c") : void();
    case 'd':
      return move_row(n - 1);
    case 'e':
      return move_by(0, count);
    case 'g':
      if (p.get(0) == 0 && !cursor.pending) {
        tabs[cursor.x] = false;
      } else if (p.get(0) == 3) {
        tabs.assign(size.cols, false);
      }
      return;
    case 'h':
    case 'l':
      for (std::size_t i = 0; i < p.count; ++i) {
        set_ansi_mode(p.values[i].number, final == 'h');
      }
      return;
    case 'n':
      return report_status(p.get(0), false);
    case 'r':
      return set_margins(p);
    case 's':
      return modes.left_right ? set_side_margins(p) : save_cursor();
    case 't':
      return window_operation(p);
    case 'u':
      return restore_cursor();
    default:
      return;
  }
}

void ScreenImpl::private_sequence(char final, const Parameters& p) {
  switch (final) {
    case 'J':
      return p.get(0) <= 2 ? erase_in_display(p.get(0), Erase::unprotected) : void();
    case 'K':
      return erase_in_line(p.get(0), Erase::unprotected);
    case 'h':
    case 'l':
      for (std::size_t i = 0; i < p.count; ++i) {
        set_private_mode(p.values[i].number, final == 'h');
      }
      return;
    case 'm':
      if (p.get(0) == 4) {
        reply("\x1b[>4;" + std::to_string(modify_other_keys) + "m");
      }
      return;
    case 'n':
      return report_status(p.get(0), true);
    case 'r':
      return restore_modes(p);
    case 's':
      return save_modes(p);
    case 'u':
      return reply("\x1b[?" + std::to_string(keyboard().flags) + "u");
    default:
      return;
  }
}

void ScreenImpl::spaced_sequence(char final, const Parameters& p) {
  switch (final) {
    case '@':
      return edit_lines(Edit::scroll_left, p.or_else(0, 1));
    case 'A':
      return edit_lines(Edit::scroll_right, p.or_else(0, 1));
    case 'q':
      if (p.get(0) <= 6) {
        cursor_style = static_cast<std::uint8_t>(p.get(0));
      }
      return;
    default:
      return;
  }
}

// Sequences with < = > in front: keyboard protocols and identification.
void ScreenImpl::keyboard_sequence(char prefix, const Parameters& p) {
  const char f = tokenizer.final();
  KeyboardStack& stack = keyboard();
  if (f == 'u' && prefix == '>') {
    if (stack.below.size() == KeyboardStack::max) {
      stack.below.erase(stack.below.begin());
    }
    stack.below.push_back(stack.flags);
    stack.flags = static_cast<std::uint8_t>(p.get(0) & 31U);
  } else if (f == 'u' && prefix == '<') {
    for (std::uint32_t n = p.or_else(0, 1); n > 0; --n) {
      stack.flags = stack.below.empty() ? std::uint8_t{0} : stack.below.back();
      if (stack.below.empty()) {
        break;
      }
      stack.below.pop_back();
    }
  } else if (f == 'u' && prefix == '=') {
    const std::uint32_t flags = p.get(0) & 31U;
    const std::uint32_t how = p.or_else(1, 1);
    const std::uint32_t old = stack.flags;
    stack.flags = static_cast<std::uint8_t>(how == 1   ? flags
                                            : how == 2 ? (old | flags)
                                            : how == 3 ? (old & ~flags)
                                                       : old);
  } else if (f == 'm' && prefix == '>') {
    if (p.count == 0 || p.get(0) == 4) {
      modify_other_keys = static_cast<std::uint8_t>(p.get(1) <= 3 ? p.get(1) : 0);
    }
  } else if (f == 'n' && prefix == '>') {
    modify_other_keys = p.get(0) == 4 ? std::uint8_t{0} : modify_other_keys;
  } else if (f == 'c' && prefix == '>' && p.get(0) == 0) {
    reply("\x1b[>1;0;0c");
  } else if (f == 'c' && prefix == '=' && p.get(0) == 0) {
    reply("\x1bP!|00000000\x1b\\");
  } else if (f == 'q' && prefix == '>' && p.get(0) == 0) {
    reply("\x1bP>|troupe " TROUPE_VERSION "\x1b\\");
  }
}

// What a program may ask about the window. It has no pixels, no position and no icon.
void ScreenImpl::window_operation(const Parameters& p) {
  const auto text_size = ';' + std::to_string(size.rows) + ';' + std::to_string(size.cols) + 't';
  switch (p.get(0)) {
    case 18:
      return reply("\x1b[8" + text_size);
    case 19:
      return reply("\x1b[9" + text_size);
    case 21:
      return reply("\x1b]l" + title + "\x1b\\");
    default:
      return;
  }
}

void ScreenImpl::soft_reset() {
  modes.cursor_visible = true;
  modes.cursor_keys = false;
  modes.keypad = false;
  modes.insert = false;
  modes.origin = false;
  modes.autowrap = true;
  modes.reverse_wrap = false;
  modes.left_right = false;
  modes.synchronized = false;
  reset_margins();
  pen = {};
  charsets = {};
  saved() = {};
}

}  // namespace troupe::terminal
