// SPDX-License-Identifier: MIT
#include "recording/json_text.hpp"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "base/byte_marks.hpp"
#include "base/utf8.hpp"

namespace troupe::recording {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// How one byte is written inside a string. Copied as a whole word, of which `length` bytes count.
struct Escape {
  std::array<char, word_bytes> text{};
  std::size_t length = 0;
};

constexpr Escape escape_of(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view named = "\"\\\n\r\t";
  constexpr std::string_view letters = "\"\\nrt";
  const std::size_t name = named.find(static_cast<char>(byte));
  if (name != std::string_view::npos) {
    return {{'\\', letters[name]}, 2};
  }
  return {{'\\', 'u', '0', '0', digits[byte >> 4U], digits[byte & 15U]}, 6};
}

constexpr std::array<Escape, 256> make_escapes() {
  std::array<Escape, 256> all{};
  for (std::size_t byte = 0; byte < all.size(); ++byte) {
    all.at(byte) = escape_of(static_cast<unsigned char>(byte));
  }
  return all;
}
constexpr std::array<Escape, 256> escapes = make_escapes();

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

constexpr bool is_special(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

/// Text that is escaped at once, into a buffer that holds it at its longest.
constexpr std::size_t block_bytes = 2048;
using Block = std::array<char, 6 * block_bytes + 2 * word_bytes>;

/// Escapes at most `block_bytes` of text; returns the end of what it wrote. Whole words are copied,
/// and only counted up to the first byte that has to be escaped: coloured output has one every few
/// bytes, and this runs for each byte that a recorded terminal prints.
char* escape_block(std::string_view text, char* to) {
  const char* from = text.data();
  const char* const end = from + text.size();
  const auto escape = [&] {
    const Escape& written = escapes[static_cast<unsigned char>(*from++)];
    std::memcpy(to, written.text.data(), word_bytes);
    to += written.length;
  };
  while (static_cast<std::size_t>(end - from) >= word_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, word_bytes);
    std::memcpy(to, from, word_bytes);
    const std::uint64_t special = special_byte(word);
    if (special == 0) {
      from += word_bytes;
      to += word_bytes;
      continue;
    }
    const std::size_t plain = first_marked_byte(special);
    from += plain;
    to += plain;
    escape();
  }
  while (from != end) {
    if (is_special(static_cast<unsigned char>(*from))) {
      escape();
    } else {
      *to++ = *from++;
    }
  }
  return to;
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

}  // namespace

bool is_utf8(std::string_view bytes) {
  return bytes.empty() || simdjson::validate_utf8(bytes.data(), bytes.size());
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  Block block;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  while (!text.empty()) {
    const std::string_view part = text.substr(0, block_bytes);
    out.append(block.data(),
               static_cast<std::size_t>(escape_block(part, block.data()) - block.data()));
    text.remove_prefix(part.size());
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

}  // namespace troupe::recording
