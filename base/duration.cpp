// SPDX-License-Identifier: MIT
#include "base/duration.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace troupe {

std::optional<std::chrono::milliseconds> duration_from_text(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  double scale = 0;
  if (unit.empty() || unit == "s") {
    scale = 1000;
  } else if (unit == "ms") {
    scale = 1;
  } else if (unit == "m") {
    scale = 60'000;
  } else if (unit == "h") {
    scale = 3'600'000;
  }
  constexpr auto most = static_cast<double>(
      std::chrono::duration_cast<std::chrono::milliseconds>(longest_duration).count());
  const double milliseconds = std::ceil(value * scale);
  if (error != std::errc{} || scale == 0 || !std::isfinite(milliseconds) || value < 0 ||
      milliseconds > most) {
    return std::nullopt;
  }
  return std::chrono::milliseconds{static_cast<std::int64_t>(milliseconds)};
}

}  // namespace troupe
