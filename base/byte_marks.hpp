// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Bytes looked at eight at a time, as one word of memory. The first byte is the lowest one of the
/// word: a borrow goes from a byte to those behind it, so what is marked first is marked rightly.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace troupe {

static_assert(std::endian::native == std::endian::little);

/// Position in memory, 0 … 7, of the first marked byte. `marks` is not 0 and has no bits but the
/// bytes' top ones.
[[nodiscard]] constexpr std::size_t first_marked_byte(std::uint64_t marks) {
  return static_cast<std::size_t>(std::countr_zero(marks)) / 8;
}

}  // namespace troupe
