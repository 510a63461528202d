// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How keys are called. What bytes a terminal sends for one is `terminal/keys.hpp`; that a name is
/// one can be told before there is a terminal.

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

/// Modifier bits as xterm and kitty count them; on their wire stands 1 + bits.
namespace key_modifier {
inline constexpr unsigned shift = 1;
inline constexpr unsigned alt = 2;
inline constexpr unsigned ctrl = 4;
inline constexpr unsigned super = 8;
}  // namespace key_modifier

struct Key {
  /// `control`: a C0 code of its own. `cursor`: CSI or SS3 with a letter. `tilde`: CSI number ~.
  /// `function`: f1 … f24.
  enum class Shape : std::uint8_t { text, control, cursor, tilde, function };

  Shape shape = Shape::text;
  unsigned code = 0;  ///< code point, C0 code, letter or number, as the shape says
  unsigned modifiers = 0;
};

/// The key of that name: a character, or one of `enter tab space backspace escape up down left
/// right home end pageup pagedown insert delete f1` … `f24`, with `ctrl+ alt+ shift+ super+` in
/// front. Names and modifiers may have capitals. Nothing for anything else.
std::optional<Key> parse_key(std::string_view name);

}  // namespace troupe
