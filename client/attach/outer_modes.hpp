// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What an attached program changed in the person's own terminal, and the bytes that undo it. A
/// terminal left with mouse reporting or a hidden cursor is broken for everything that follows.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "client/attach/control_sequence.hpp"

namespace troupe::client {

/// Follows the sequences that were forwarded to the outer terminal.
///
/// Invariants: C-1: after `restore()` is written, every mode that was forwarded has its default.
/// Bounds: a fixed table of modes and two counters; nothing that a program prints grows it.
class OuterModes {
 public:
  /// The deepest keyboard stack that is counted (and forwarded) per screen.
  static constexpr std::uint32_t max_keyboard_depth = 16;

  void csi(const ControlSequence& sequence);
  void escape(char intermediate, char final);
  void osc(std::string_view payload);
  void shift_out() { charset_changed_ = true; }

  /// The bytes that bring every mode back to its default. Safe to write twice.
  [[nodiscard]] std::string undo() const;
  /// The same, and the window's title.
  [[nodiscard]] std::string restore() const;
  /// The bytes of `undo` were written.
  void undone();
  /// The bytes of `restore` were written.
  void restored() { *this = OuterModes{}; }

  [[nodiscard]] bool alternate() const { return alternate_ != 0; }
  /// Depth of the program's own keyboard stack on the present screen.
  [[nodiscard]] std::uint32_t keyboard_depth() const { return keyboard_[screen()].depth; }
  /// The outer terminal's own keyboard flags were saved below the program's on this screen.
  [[nodiscard]] bool keyboard_guarded() const { return keyboard_[screen()].guarded; }
  void guard_keyboard() { keyboard_[screen()].guarded = true; }
  void title_saved() { title_saved_ = true; }

  /// A private mode that may be forwarded; others would resize, save or report.
  static bool private_mode_allowed(std::uint32_t mode);

 private:
  struct Keyboard {
    bool guarded = false;
    std::uint32_t depth = 0;
  };

  [[nodiscard]] std::size_t screen() const { return alternate_ == 0 ? 0 : 1; }
  void private_mode(std::uint32_t mode, bool on);
  void append_keyboard(std::size_t screen, std::string& out) const;
  void append_private_modes(std::string& out) const;

  std::map<std::uint32_t, bool> changed_;  ///< private modes that differ from their default
  std::array<Keyboard, 2> keyboard_{};     ///< primary, alternate
  std::uint32_t alternate_ = 0;            ///< 0, or the mode (47, 1047, 1049) that switched
  std::uint32_t palette_ = 0;              ///< bit per resettable colour command
  bool insert_ = false;
  bool newline_ = false;
  bool keypad_ = false;
  bool pen_ = false;
  bool protect_ = false;
  bool charset_changed_ = false;
  bool cursor_style_ = false;
  bool margins_ = false;
  bool tabs_ = false;
  bool link_ = false;
  bool key_modifiers_ = false;
  bool title_saved_ = false;
};

}  // namespace troupe::client
