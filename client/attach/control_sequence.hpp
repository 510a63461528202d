// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One complete CSI sequence as text, shared by the filter of a program's output and the record of
/// what that output changed in the outer terminal.

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::client {

/// `ESC [ prefix? params intermediates? final`. Views into the caller's buffer.
struct ControlSequence {
  char prefix = 0;  ///< `<`, `=`, `>`, `?`, or 0
  std::string_view params;
  std::string_view intermediates;
  char final = 0;
};

/// The first number of `text`, or `fallback` where there is none. Clamped to 65535.
inline std::uint32_t leading_number(std::string_view text, std::uint32_t fallback) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end == text.data()) {
    return fallback;
  }
  return error != std::errc{} || value > 65535 ? 65535 : static_cast<std::uint32_t>(value);
}

/// The `;`-separated numbers of a parameter string; an absent one is 0. At most 32 are looked at.
inline std::vector<std::uint32_t> numbers_of(std::string_view params) {
  constexpr std::size_t most = 32;
  std::vector<std::uint32_t> numbers;
  while (numbers.size() < most) {
    const std::size_t end = params.find(';');
    numbers.push_back(leading_number(params.substr(0, end), 0));
    if (end == std::string_view::npos) {
      break;
    }
    params.remove_prefix(end + 1);
  }
  return numbers;
}

}  // namespace troupe::client
