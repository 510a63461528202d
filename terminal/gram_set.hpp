// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Which short pieces a text holds, so that hundreds of needles need not each search all of it.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::terminal {

/// The pieces of three bytes of one text, by hash.
///
/// Bounds: 16 KiB. Invariants: never denies a piece that the text holds; may claim one that it does
/// not.
class GramSet {
 public:
  using Gram = std::uint16_t;
  static constexpr std::size_t gram_bytes = 3;

  explicit GramSet(std::string_view text) : seen_(table_size) {
    for (std::size_t at = 0; at + gram_bytes <= text.size(); ++at) {
      seen_[gram_of(text.data() + at)] = 1;
    }
  }

  /// Some pieces of a needle, spread over it; none where it is too short to have any.
  [[nodiscard]] static std::vector<Gram> grams_of(std::string_view needle) {
    constexpr std::size_t enough = 8;
    std::vector<Gram> grams;
    if (needle.size() >= gram_bytes) {
      const std::size_t last = needle.size() - gram_bytes;
      const std::size_t step = last / enough + 1;
      for (std::size_t at = 0; at <= last; at += step) {
        grams.push_back(gram_of(needle.data() + at));
      }
    }
    return grams;
  }

  /// False where the text cannot hold a needle with these pieces.
  [[nodiscard]] bool may_hold(const std::vector<Gram>& grams) const {
    for (const Gram gram : grams) {
      if (seen_[gram] == 0) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr unsigned bits = 14;
  static constexpr std::size_t table_size = std::size_t{1} << bits;

  static Gram gram_of(const char* at) {
    constexpr std::uint32_t spread = 0x9E3779B1U;
    const auto byte = [at](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i]));
    };
    const std::uint32_t value = byte(0) | (byte(1) << 8U) | (byte(2) << 16U);
    return static_cast<Gram>((value * spread) >> (32U - bits));
  }

  std::vector<std::uint8_t> seen_;
};

}  // namespace troupe::terminal
