// SPDX-License-Identifier: MIT
// Modes, and the switch between the two screens.
#include <algorithm>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {

void ScreenImpl::set_ansi_mode(unsigned mode, bool on) {
  if (mode == 4) {
    modes.insert = on;
  } else if (mode == 20) {
    modes.newline = on;
  }
}

// The modes that are a flag and nothing else.
bool* ScreenImpl::private_flag(unsigned mode) {
  switch (mode) {
    case 1:
      return &modes.cursor_keys;
    case 5:
      return &modes.reverse_screen;
    case 7:
      return &modes.autowrap;
    case 12:
      return &modes.blinking_cursor;
    case 25:
      return &modes.cursor_visible;
    case 45:
      return &modes.reverse_wrap;
    case 66:
      return &modes.keypad;
    case 67:
      return &modes.backarrow_backspace;
    case 1004:
      return &modes.focus;
    case 1007:
      return &modes.alternate_scroll;
    case 1034:
      return &modes.eight_bit_meta;
    case 1035:
      return &modes.num_lock;
    case 1036:
      return &modes.meta_escape;
    case 2004:
      return &modes.bracketed_paste;
    case 2026:
      return &modes.synchronized;
    case 2027:
      return &modes.clusters;
    case 2031:
      return &modes.scheme_reports;
    case 2048:
      return &modes.size_reports;
    default:
      return nullptr;
  }
}

void ScreenImpl::set_mouse(unsigned mode, bool on) {
  const auto number = static_cast<std::uint16_t>(on ? mode : 0);
  if (mode == 1005 || mode == 1006 || mode == 1015 || mode == 1016) {
    // The older encodings, which few know, do not disturb another one that is set.
    const bool old = mode == 1005 || mode == 1015;
    if (!old || mouse.encoding == 0 || mouse.encoding == mode) {
      mouse.encoding = number;
    }
  } else {
    mouse.protocol = number;
  }
}

void ScreenImpl::set_private_mode(unsigned mode, bool on) {
  if (bool* flag = private_flag(mode)) {
    *flag = on;
    return;
  }
  switch (mode) {
    case 2:
      charsets = on ? Charsets{} : charsets;
      return;
    case 6:
      modes.origin = on;
      return move_to(0, 0);
    case 69:
      modes.left_right = on;
      margins.left = 0;
      margins.right = size.cols;
      if (cursor.pending && cursor.x + 1U < size.cols) {
        // The margin that it waited at is gone, and there is room behind the text.
        cursor.pending = false;
        ++cursor.x;
      }
      return;
    case 9:
    case 1000:
    case 1002:
    case 1003:
    case 1005:
    case 1006:
    case 1015:
    case 1016:
      return set_mouse(mode, on);
    case 1048:
      return on ? save_cursor() : restore_cursor();
    case 47:
    case 1047:
    case 1049:
      return on ? enter_alternate(mode) : leave_alternate(mode);
    default:
      return;
  }
}

std::optional<bool> ScreenImpl::private_mode(unsigned mode) {
  if (const bool* flag = private_flag(mode)) {
    return *flag;
  }
  switch (mode) {
    case 6:
      return modes.origin;
    case 69:
      return modes.left_right;
    case 9:
    case 1000:
    case 1002:
    case 1003:
      return mouse.protocol == mode;
    case 1005:
    case 1006:
    case 1015:
    case 1016:
      return mouse.encoding == mode;
    case 47:
    case 1047:
    case 1049:
      return alternate_active;
    default:
      return std::nullopt;
  }
}

void ScreenImpl::enter_alternate(unsigned mode) {
  if (mode == 1049) {
    save_cursor();
  }
  const bool fresh = !alternate;
  if (fresh) {
    alternate.emplace(size.cols, size.rows);
    alternate_room = std::min<std::uint32_t>(tallest, max_cells / size.cols) - size.rows;
  }
  if (!alternate_active) {
    primary_cursor = cursor;
    primary_cursor.pending = cursor.pending && cursor.x + 1 == size.cols;
    hidden_y[0] = cursor.y;
    alternate_active = true;
  }
  if (fresh || mode == 1049) {
    for (std::uint32_t y = 0; y < size.rows; ++y) {
      alternate->reset_row(y, fill());
    }
    work += size.cols;
  }
}

void ScreenImpl::drop_alternate() {
  alternate.reset();
  alternate_above.clear();
  tallest = size.rows;
}

void ScreenImpl::leave_alternate(unsigned mode) {
  if (alternate_active) {
    if (mode == 1047) {
      for (std::uint32_t y = 0; y < size.rows; ++y) {
        alternate->reset_row(y, fill());
      }
      work += size.cols;
    }
    hidden_y[1] = cursor.y;
    alternate_active = false;
  }
  if (mode == 1049) {
    restore_cursor();
  }
}

void ScreenImpl::save_modes(const Parameters& p) {
  for (std::size_t i = 0; i < p.count; ++i) {
    const unsigned mode = p.values[i].number;
    if (const auto value = private_mode(mode)) {
      saved_modes[static_cast<std::uint16_t>(mode)] = *value;
    }
  }
}

void ScreenImpl::restore_modes(const Parameters& p) {
  for (std::size_t i = 0; i < p.count; ++i) {
    const auto mode = p.values[i].number;
    if (const auto found = saved_modes.find(mode); found != saved_modes.end()) {
      // Restoring a mouse mode that was off must not switch off another one that is on.
      if (private_mode(mode) != found->second) {
        set_private_mode(mode, found->second);
      }
    }
  }
}

}  // namespace troupe::terminal
