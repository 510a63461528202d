// SPDX-License-Identifier: MIT
#include "client/attach/outer_modes.hpp"

#include <algorithm>
#include <string>

namespace troupe::client {
namespace {

struct PrivateMode {
  std::uint32_t number;
  bool initial;
};

/// Modes that change how the terminal looks or what its keys and mouse send. Left out on purpose:
/// 3 and 40 (they resize), 1048 (a save, not a state), 2048 (reports sizes to the program; the
/// daemon does that), 47/1047/1049 (kept apart).
constexpr std::array<PrivateMode, 29> private_modes{{
    {1, false},    {5, false},    {6, false},    {7, true},     {8, true},     {9, false},
    {12, false},   {25, true},    {45, false},   {66, false},   {67, false},   {69, false},
    {1000, false}, {1001, false}, {1002, false}, {1003, false}, {1004, false}, {1005, false},
    {1006, false}, {1007, true},  {1015, false}, {1016, false}, {1034, false}, {1035, true},
    {1036, true},  {2004, false}, {2026, false}, {2027, false}, {2031, false},
}};

const PrivateMode* find_mode(std::uint32_t number) {
  const auto* const found =
      std::find_if(private_modes.begin(), private_modes.end(),
                   [number](const PrivateMode& mode) { return mode.number == number; });
  return found == private_modes.end() ? nullptr : found;
}

bool alternate_mode(std::uint32_t mode) {
  return mode == 47 || mode == 1047 || mode == 1049;
}

/// Colour commands and what resets them, by bit of `palette_`.
constexpr std::array<std::string_view, 4> palette_resets{"\x1b]104\x1b\\", "\x1b]110\x1b\\",
                                                         "\x1b]111\x1b\\", "\x1b]112\x1b\\"};

}  // namespace

bool OuterModes::private_mode_allowed(std::uint32_t mode) {
  return alternate_mode(mode) || mode == 1048 || find_mode(mode) != nullptr;
}

void OuterModes::private_mode(std::uint32_t mode, bool on) {
  if (alternate_mode(mode)) {
    alternate_ = on ? mode : 0;
    return;
  }
  const PrivateMode* const known = find_mode(mode);
  if (known == nullptr) {
    return;
  }
  if (on == known->initial) {
    changed_.erase(mode);
  } else {
    changed_[mode] = on;
  }
}

void OuterModes::csi(const ControlSequence& sequence) {
  const bool plain = sequence.prefix == 0 && sequence.intermediates.empty();
  if (sequence.final == 'h' || sequence.final == 'l') {
    const bool on = sequence.final == 'h';
    for (const std::uint32_t mode : numbers_of(sequence.params)) {
      if (sequence.prefix == '?') {
        private_mode(mode, on);
      } else if (plain && mode == 4) {
        insert_ = on;
      } else if (plain && mode == 20) {
        newline_ = on;
      }
    }
  } else if (plain && sequence.final == 'm') {
    pen_ = true;
  } else if (plain && (sequence.final == 'r' || sequence.final == 's')) {
    margins_ = true;
  } else if (sequence.final == 'g' || (sequence.prefix == '?' && sequence.final == 'W')) {
    tabs_ = true;
  } else if (sequence.final == 'q' && sequence.intermediates == " ") {
    cursor_style_ = true;
  } else if (sequence.final == 'q' && sequence.intermediates == "\"") {
    protect_ = true;
  } else if (sequence.prefix == '>' && (sequence.final == 'm' || sequence.final == 'n')) {
    key_modifiers_ = true;
  } else if (sequence.prefix == '>' && sequence.final == 'u') {
    Keyboard& keyboard = keyboard_[screen()];
    keyboard.depth = std::min(keyboard.depth + 1, max_keyboard_depth);
  } else if (sequence.prefix == '<' && sequence.final == 'u') {
    Keyboard& keyboard = keyboard_[screen()];
    keyboard.depth -= std::min(keyboard.depth, std::max(1U, leading_number(sequence.params, 1)));
  }
}

void OuterModes::escape(char intermediate, char final) {
  if (intermediate == 0 && (final == '=' || final == '>')) {
    keypad_ = final == '=';
  } else if (intermediate == 0 && final == 'H') {
    tabs_ = true;
  } else if (intermediate != 0 || final == 'n' || final == 'o' || final == '|' || final == '}' ||
             final == '~') {
    charset_changed_ = true;
  }
}

void OuterModes::osc(std::string_view payload) {
  const std::uint32_t number = leading_number(payload, 0);
  if (number == 8) {
    link_ = !payload.ends_with(';');
  } else if (number == 4 || number == 5) {
    palette_ |= 1U;
  } else if (number >= 10 && number <= 12) {
    palette_ |= 1U << (number - 9);
  }
}

void OuterModes::append_keyboard(std::size_t screen, std::string& out) const {
  const Keyboard& keyboard = keyboard_[screen];
  const std::uint32_t entries = keyboard.depth + (keyboard.guarded ? 1 : 0);
  if (entries > 0) {
    out += "\x1b[<" + std::to_string(entries) + "u";
  }
}

void OuterModes::append_private_modes(std::string& out) const {
  for (const auto& [mode, on] : changed_) {
    if (mode != 6 && mode != 69 && mode != 2026) {
      out += "\x1b[?" + std::to_string(mode) + (on ? "l" : "h");
    }
  }
}

std::string OuterModes::undo() const {
  std::string out = "\x1b\\";  // ends a picture or a string that was cut in the middle
  if (changed_.count(2026) != 0) {
    out += "\x1b[?2026l";
  }
  append_keyboard(screen(), out);
  if (alternate_ != 0) {
    out += "\x1b[?" + std::to_string(alternate_) + "l";
    append_keyboard(0, out);
  } else if (keyboard_[1].guarded || keyboard_[1].depth > 0) {
    // The alternate screen was left with entries of ours on its own stack.
    out += "\x1b[?47h";
    append_keyboard(1, out);
    out += "\x1b[?47l";
  }
  append_private_modes(out);
  if (margins_ || changed_.count(6) != 0 || changed_.count(69) != 0) {
    out +=
        "\x1b[?6l\x1b"
        "7\x1b[?69l\x1b[r\x1b"
        "8";  // these move the cursor: save it around them
  }
  out += insert_ ? "\x1b[4l" : "";
  out += newline_ ? "\x1b[20l" : "";
  out += keypad_ ? "\x1b>" : "";
  out += protect_ ? "\x1b[0\"q" : "";
  out += charset_changed_ ? "\x1b(B\x1b)B\x0f" : "";
  out += cursor_style_ ? "\x1b[0 q" : "";
  out += link_ ? "\x1b]8;;\x1b\\" : "";
  out += key_modifiers_ ? "\x1b[>4m" : "";
  out += tabs_ ? "\x1b[?5W" : "";
  for (std::size_t bit = 0; bit < palette_resets.size(); ++bit) {
    out += (palette_ >> bit & 1U) != 0 ? palette_resets[bit] : "";
  }
  out += pen_ ? "\x1b[0m" : "";
  return out;
}

std::string OuterModes::restore() const {
  return undo() + (title_saved_ ? "\x1b[23;0t" : "");
}

void OuterModes::undone() {
  const bool title_saved = title_saved_;
  *this = OuterModes{};
  title_saved_ = title_saved;
}

}  // namespace troupe::client
