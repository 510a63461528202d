// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace troupe {
namespace {

struct Lead {
  std::size_t length = 0;
  unsigned char second_low = 0x80;  // the second byte's range excludes overlongs and surrogates
  unsigned char second_high = 0xBF;
};

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

Lead lead_of(unsigned char first) {
  if (first < 0x80) {
    return {1};
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return {2};
  }
  if (first >= 0xE0 && first <= 0xEF) {
    return {3, static_cast<unsigned char>(first == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(first == 0xED ? 0x9F : 0xBF)};
  }
  if (first >= 0xF0 && first <= 0xF4) {
    return {4, static_cast<unsigned char>(first == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(first == 0xF4 ? 0x8F : 0xBF)};
  }
  return {};
}

struct Part {
  std::size_t length;  // bytes of the character, or of the maximal ill-formed subpart
  bool valid;
};

Part next_part(std::string_view text) {
  const Lead lead = lead_of(byte_at(text, 0));
  if (lead.length == 0) {
    return {1, false};
  }
  for (std::size_t i = 1; i < lead.length; ++i) {
    const unsigned char low = i == 1 ? lead.second_low : 0x80;
    const unsigned char high = i == 1 ? lead.second_high : 0xBF;
    if (i >= text.size() || byte_at(text, i) < low || byte_at(text, i) > high) {
      return {i, false};
    }
  }
  return {lead.length, true};
}

/// The length of the ASCII text at the start.
std::size_t ascii_length(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  std::size_t i = 0;
  for (std::array<std::uint64_t, 4> words{}; i + sizeof words <= text.size(); i += sizeof words) {
    std::memcpy(words.data(), text.data() + i, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & high_bits) != 0) {
      break;
    }
  }
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

std::size_t utf8_character_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const Part part = next_part(text);
  return part.valid ? part.length : 0;
}

bool is_valid_utf8(std::string_view text) {
  for (text.remove_prefix(ascii_length(text)); !text.empty();
       text.remove_prefix(ascii_length(text))) {
    const Part part = next_part(text);
    if (!part.valid) {
      return false;
    }
    text.remove_prefix(part.length);
  }
  return true;
}

std::string to_valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Part part = next_part(text);
    result += part.valid ? text.substr(0, part.length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(part.length);
  }
  return result;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return text;
  }
  std::size_t end = max_bytes;
  while (end > 0 && (byte_at(text, end) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

std::size_t json_string_size(std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
      case '\b':
      case '\f':
      case '\n':
      case '\r':
      case '\t':
        size += 2;
        break;
      default:
        size += static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
    }
  }
  return size;
}

}  // namespace troupe
