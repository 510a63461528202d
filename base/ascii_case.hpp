// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Small letters, without the locale: names of the wire and of files are ASCII.

#include <algorithm>
#include <string>
#include <string_view>

namespace troupe {

[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Bytes that are not ASCII stay.
[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return ascii_lower(c); });
  return result;
}

}  // namespace troupe
