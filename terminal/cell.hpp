// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One cell of a grid: 16 bytes, so that a row is copied and compared at memory speed.

#include <cstdint>

namespace troupe::terminal {

/// A colour: 0 is the default one.
using Color = std::uint32_t;
inline constexpr Color color_indexed = 0x0100'0000;
inline constexpr Color color_rgb = 0x0200'0000;
inline constexpr Color color_kind = 0xFF00'0000;

namespace attribute {
inline constexpr std::uint16_t bold = 1;
inline constexpr std::uint16_t dim = 2;
inline constexpr std::uint16_t italic = 4;
inline constexpr std::uint16_t blink = 8;
inline constexpr std::uint16_t inverse = 16;
inline constexpr std::uint16_t hidden = 32;
inline constexpr std::uint16_t strike = 64;
inline constexpr std::uint16_t overline = 128;
inline constexpr std::uint16_t protect = 256;
inline constexpr std::uint16_t underline_shift = 9;
inline constexpr std::uint16_t underline_mask = 7U << underline_shift;
inline constexpr std::uint16_t linked = 4096;  ///< `extra` names a hyperlink
}  // namespace attribute

/// How a cell looks. `extra` names an entry of the table of underline colours and hyperlinks.
struct Attributes {
  Color foreground = 0;
  Color background = 0;
  std::uint16_t flags = 0;
  std::uint16_t extra = 0;
  bool operator==(const Attributes&) const = default;
};

/// A cell's content: 0 where nothing was written, a code point, or a cluster of the table; a wide
/// character's first cell is marked, its second one is `wide_tail`.
struct Cell {
  static constexpr std::uint32_t cluster = 0x8000'0000;
  static constexpr std::uint32_t wide = 0x4000'0000;
  static constexpr std::uint32_t wide_tail = 0x2000'0000;
  static constexpr std::uint32_t value_mask = 0x1FFF'FFFF;

  std::uint32_t content = 0;
  Attributes attributes;

  [[nodiscard]] bool unwritten() const { return content == 0; }
  [[nodiscard]] bool is_wide() const { return (content & wide) != 0; }
  [[nodiscard]] bool is_tail() const { return content == wide_tail; }
  [[nodiscard]] bool is_cluster() const { return (content & cluster) != 0; }
  [[nodiscard]] std::uint32_t value() const { return content & value_mask; }
  bool operator==(const Cell&) const = default;
};
static_assert(sizeof(Cell) == 16);

/// A blank that was never written shows only a background. Where the pen would show more on it (a
/// line, inverse video, a hyperlink), it is a written blank, so that every unwritten cell can be
/// made by an erase.
[[nodiscard]] constexpr Cell blank_cell(const Attributes& look) {
  constexpr unsigned visible = attribute::inverse | attribute::strike | attribute::overline |
                               attribute::underline_mask | attribute::linked;
  if ((look.flags & visible) != 0) {
    return {0x20, look};
  }
  return {0, {0, look.background, 0, 0}};
}

}  // namespace troupe::terminal
