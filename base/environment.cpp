// SPDX-License-Identifier: MIT
#include "base/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace troupe {

std::optional<std::string> environment_value(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || *value == '\0') {
    return std::nullopt;
  }
  return std::string{value};
}

std::uint64_t environment_number(const char* name, std::uint64_t fallback, std::uint64_t floor,
                                 std::uint64_t ceiling) {
  const auto text = environment_value(name);
  if (!text) {
    return fallback;
  }
  std::uint64_t number = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    return fallback;
  }
  return std::clamp(number, floor, ceiling);
}

}  // namespace troupe
