// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// UTF-8: a decoder that resumes at any byte, and an encoder.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::terminal {

inline constexpr char32_t replacement_character = 0xFFFD;

/// Bytes of the longest character.
inline constexpr std::size_t max_utf8_length = 4;

/// Writes `code_point` to `to`, which has room for `max_utf8_length` bytes; returns behind it.
inline char* encode_utf8(char* to, char32_t code_point) {
  const auto c = static_cast<std::uint32_t>(code_point);
  const auto byte = [&to](std::uint32_t value) { *to++ = static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
  return to;
}

/// Appends `code_point` to `out`.
inline void append_utf8(std::string& out, char32_t code_point) {
  std::array<char, max_utf8_length> bytes;  // written before it is read
  out.append(bytes.data(), encode_utf8(bytes.data(), code_point));
}

/// Decodes one character of *valid* UTF-8 at `at` and moves behind it.
inline char32_t next_utf8(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) {
    ++at;
    return first;
  }
  if (first < 0xE0) {
    at += 2;
    return ((first & 0x1FU) << 6U) | (byte(at - 1) & 0x3FU);
  }
  if (first < 0xF0) {
    at += 3;
    return ((first & 0x0FU) << 12U) | ((byte(at - 2) & 0x3FU) << 6U) | (byte(at - 1) & 0x3FU);
  }
  at += 4;
  return ((first & 0x07U) << 18U) | ((byte(at - 3) & 0x3FU) << 12U) |
         ((byte(at - 2) & 0x3FU) << 6U) | (byte(at - 1) & 0x3FU);
}

/// Bytes of the character that starts with `first` (valid UTF-8).
[[nodiscard]] inline std::size_t utf8_length(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0x80 ? 1U : c < 0xE0 ? 2U : c < 0xF0 ? 3U : 4U;
}

/// Incremental decoder: one U+FFFD per maximal ill-formed subpart, as Unicode and WHATWG have it.
class Utf8Decoder {
 public:
  static constexpr char32_t incomplete = 0xFFFFFFFF;

  /// Takes one byte. Returns a character, or `incomplete`. `again` is set where the byte ended an
  /// ill-formed character (U+FFFD is returned) and must be given once more.
  char32_t feed(unsigned char byte, bool& again) {
    again = false;
    if (needed_ == 0) {
      count_ = 0;
      keep(byte);
      return start(byte);
    }
    if (byte < lower_ || byte > upper_) {
      reset();
      again = true;
      return replacement_character;
    }
    lower_ = 0x80;
    upper_ = 0xBF;
    value_ = (value_ << 6U) | (byte & 0x3FU);
    if (--needed_ != 0) {
      keep(byte);
      return incomplete;
    }
    return value_;
  }

  [[nodiscard]] bool pending() const { return needed_ != 0; }
  /// The bytes of the character that is not complete.
  [[nodiscard]] std::string_view partial() const {
    return {bytes_, needed_ == 0 ? std::size_t{0} : count_};
  }
  void reset() {
    needed_ = 0;
    lower_ = 0x80;
    upper_ = 0xBF;
  }

 private:
  char32_t start(unsigned char byte) {
    if (byte < 0x80) {
      return byte;
    }
    if (byte < 0xC2 || byte > 0xF4) {
      return replacement_character;
    }
    if (byte < 0xE0) {
      needed_ = 1;
      value_ = byte & 0x1FU;
    } else if (byte < 0xF0) {
      needed_ = 2;
      lower_ = byte == 0xE0 ? 0xA0 : 0x80;
      upper_ = byte == 0xED ? 0x9F : 0xBF;
      value_ = byte & 0x0FU;
    } else {
      needed_ = 3;
      lower_ = byte == 0xF0 ? 0x90 : 0x80;
      upper_ = byte == 0xF4 ? 0x8F : 0xBF;
      value_ = byte & 0x07U;
    }
    return incomplete;
  }

  void keep(unsigned char byte) { bytes_[count_++] = static_cast<char>(byte); }

  char32_t value_ = 0;
  char bytes_[4] = {};
  std::uint8_t count_ = 0;
  std::uint8_t needed_ = 0;
  std::uint8_t lower_ = 0x80;
  std::uint8_t upper_ = 0xBF;
};

}  // namespace troupe::terminal
