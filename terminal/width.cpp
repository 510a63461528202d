// SPDX-License-Identifier: MIT
#include "terminal/width.hpp"

namespace troupe::terminal {
namespace {

#include "terminal/width_table.inc"

bool is_skin_tone(char32_t c) {
  return c >= 0x1F3FB && c <= 0x1F3FF;
}

}  // namespace

unsigned character_width(char32_t code_point) {
  if (code_point < 0x300) {
    return 1;
  }
  if (code_point > 0x10FFFF) {
    return 1;
  }
  const auto page = width_index[code_point >> 8U];
  const auto quad = width_pages[page][(code_point >> 2U) & 63U];
  return (static_cast<unsigned>(quad) >> ((code_point & 3U) * 2U)) & 3U;
}

const char* unicode_version() {
  return unicode_version_of_table;
}

bool extends_cluster(char32_t last, char32_t next, unsigned flags_before) {
  if (next < 0x300) {
    return false;
  }
  if (is_regional_indicator(next)) {
    return is_regional_indicator(last) && flags_before % 2 == 1;
  }
  return last == zero_width_joiner || is_skin_tone(next) || character_width(next) == 0;
}

}  // namespace troupe::terminal
