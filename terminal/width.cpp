// SPDX-License-Identifier: MIT
#include "terminal/width.hpp"

namespace troupe::terminal {

namespace width_data {
#include "terminal/width_table.inc"
}

namespace {

bool is_skin_tone(char32_t c) {
  return c >= 0x1F3FB && c <= 0x1F3FF;
}

}  // namespace

const char* unicode_version() {
  return width_data::unicode_version_of_table;
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
