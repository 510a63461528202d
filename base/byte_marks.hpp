// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Bytes looked at eight at a time, as one word of memory.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace troupe {

/// Position in memory, 0 … 7, of the first byte whose top bit is set; `marks` is not 0.
[[nodiscard]] constexpr std::size_t first_marked_byte(std::uint64_t marks) {
  const int bits = std::endian::native == std::endian::little ? std::countr_zero(marks)
                                                              : std::countl_zero(marks);
  return static_cast<std::size_t>(bits) / 8;
}

}  // namespace troupe
