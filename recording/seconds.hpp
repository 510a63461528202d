// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Microseconds as recordings write them: in seconds, with six decimals.

#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::recording {

inline constexpr std::int64_t us_per_s = 1'000'000;

/// 0 … 999,999 with its leading zeros.
inline std::string six_digits(std::int64_t micros) {
  std::string text(6, '0');
  for (std::size_t at = text.size(); at > 0 && micros > 0; micros /= 10) {
    text[--at] = static_cast<char>('0' + micros % 10);
  }
  return text;
}

/// Of a time that is not negative.
inline std::string seconds_text(std::int64_t us) {
  return std::to_string(us / us_per_s) + "." + six_digits(us % us_per_s);
}

}  // namespace troupe::recording
