// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Microseconds as recordings write them: in seconds, with six decimals.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace troupe::recording {

inline constexpr std::int64_t us_per_s = 1'000'000;

inline std::string seconds_text(std::int64_t us) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%lld.%06d", static_cast<long long>(us / us_per_s),
                static_cast<int>(us % us_per_s));
  return text.data();
}

}  // namespace troupe::recording
