// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The modes of a terminal, and what DECSC keeps.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "terminal/sgr.hpp"

namespace troupe::terminal {

struct Modes {
  bool cursor_keys = false;          // 1
  bool reverse_screen = false;       // 5
  bool origin = false;               // 6
  bool autowrap = true;              // 7
  bool blinking_cursor = false;      // 12
  bool cursor_visible = true;        // 25
  bool reverse_wrap = false;         // 45
  bool keypad = false;               // 66, ESC =
  bool backarrow_backspace = false;  // 67
  bool left_right = false;           // 69
  bool focus = false;                // 1004
  bool alternate_scroll = false;     // 1007
  bool eight_bit_meta = false;       // 1034
  bool num_lock = false;             // 1035
  bool meta_escape = false;          // 1036
  bool bracketed_paste = false;      // 2004
  bool synchronized = false;         // 2026
  bool clusters = false;             // 2027
  bool scheme_reports = false;       // 2031
  bool size_reports = false;         // 2048
  bool insert = false;               // 4
  bool newline = false;              // 20
  bool operator==(const Modes&) const = default;
};

/// Mouse reporting is one variable: the last mode set rules, resetting any switches it off.
struct Mouse {
  std::uint16_t protocol = 0;  ///< 0, 9, 1000, 1002, 1003
  std::uint16_t encoding = 0;  ///< 0, 1005, 1006, 1015, 1016
  bool operator==(const Mouse&) const = default;
};

enum class Charset : char { ascii = 'B', graphics = '0', british = 'A' };

struct Charsets {
  std::array<Charset, 4> g{Charset::ascii, Charset::ascii, Charset::ascii, Charset::ascii};
  std::uint8_t gl = 0;
  std::uint8_t single_shift = 0;  ///< 2 or 3: for the next character only
  bool operator==(const Charsets&) const = default;
};

/// Where output goes. `pending`: the last column was written, the next character wraps first.
struct ScreenCursor {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  bool pending = false;
  bool operator==(const ScreenCursor&) const = default;
};

/// What DECSC keeps, one slot for each screen.
struct SavedCursor {
  ScreenCursor cursor;
  bool origin = false;
  bool set = false;  ///< something was saved; else it is home, whatever the size
  Attributes look;
  Charsets charsets;
  bool operator==(const SavedCursor&) const = default;
};

/// The kitty keyboard stack of one screen. Bounds: the oldest entry goes when it is full.
struct KeyboardStack {
  static constexpr std::size_t max = 16;
  std::vector<std::uint8_t> below;
  std::uint8_t flags = 0;
  bool operator==(const KeyboardStack&) const = default;
};

}  // namespace troupe::terminal
