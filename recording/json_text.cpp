// SPDX-License-Identifier: MIT
#include "recording/json_text.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/utf8.hpp"

namespace troupe::recording {

namespace {

constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0x20; i < 256; ++i) {
    plain.at(i) = i != '"' && i != '\\';
  }
  return plain;
}
constexpr std::array<bool, 256> is_plain = plain_bytes();

void append_escaped(unsigned char byte, std::string& out) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
  }
}

/// Not zero where one of the eight bytes is zero.
constexpr std::uint64_t zero_byte(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  return (word - ones) & ~word & (ones << 7U);
}

/// Not zero where one of the eight bytes has to be escaped.
constexpr std::uint64_t special_byte(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  const std::uint64_t controls = (word - ones * 0x20U) & ~word & (ones << 7U);
  return controls | zero_byte(word ^ ones * '"') | zero_byte(word ^ ones * '\\');
}

/// The length of the text at the start that stands in a string as it is.
std::size_t plain_length(std::string_view text) {
  std::size_t i = 0;
  for (std::uint64_t word = 0; i + sizeof word <= text.size(); i += sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if (special_byte(word) != 0) {
      break;
    }
  }
  while (i < text.size() && is_plain[static_cast<unsigned char>(text[i])]) {
    ++i;
  }
  return i;
}

/// How many bytes a character with this first byte has; 0 for no first byte.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return 3;
  }
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// The length of the ASCII text at the start.
std::size_t ascii_length(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  std::size_t i = 0;
  for (std::uint64_t word = 0; i + sizeof word <= text.size(); i += sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if ((word & high_bits) != 0) {
      break;
    }
  }
  while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0x80U) == 0) {
    ++i;
  }
  return i;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (;;) {
    const std::size_t plain = plain_length(text);
    out.append(text, 0, plain);
    if (plain == text.size()) {
      break;
    }
    append_escaped(static_cast<unsigned char>(text[plain]), out);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(is_utf8(text) ? text : std::string_view(to_valid_utf8(text)), out);
  return out;
}

std::size_t incomplete_utf8_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) != 0x80U) {
      return announced_length(byte) > back ? back : 0;
    }
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(ascii_length(text));
    if (text.empty()) {
      return true;
    }
    const std::size_t length = utf8_character_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
}

}  // namespace troupe::recording
