// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How many columns a character takes. One table of our own, because the grid, the rows, the
/// snapshots and the checkpoints must agree with each other and with what programs count.

#include <cstdint>

namespace troupe::terminal {

/// The table, in width_table.inc: two bits a character, in pages of 256 of which equal ones are
/// one.
namespace width_data {
extern const std::uint8_t width_index[];
extern const std::uint8_t width_pages[][64];
}  // namespace width_data

/// Columns of a code point (0, 1 or 2), by code point as wcwidth counts. Controls are not asked.
[[nodiscard]] inline unsigned character_width(char32_t code_point) {
  if (code_point < 0x300 || code_point > 0x10FFFF) {
    return 1;
  }
  const std::uint8_t page = width_data::width_index[code_point >> 8U];
  const std::uint8_t quad = width_data::width_pages[page][(code_point >> 2U) & 63U];
  return (static_cast<unsigned>(quad) >> ((code_point & 3U) * 2U)) & 3U;
}

/// The Unicode version of the table, e.g. "15.0.0".
[[nodiscard]] const char* unicode_version();

/// Mode 2027 only: does `next` continue the grapheme cluster whose last code point is `last`?
/// `flags_before` counts the regional indicators the cluster ends with.
[[nodiscard]] bool extends_cluster(char32_t last, char32_t next, unsigned flags_before);

inline constexpr char32_t variation_selector_16 = 0xFE0F;
inline constexpr char32_t zero_width_joiner = 0x200D;

[[nodiscard]] constexpr bool is_regional_indicator(char32_t c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}

}  // namespace troupe::terminal
