// SPDX-License-Identifier: MIT
#include "remote/charset.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace troupe::remote {
namespace {

/// Code points of CP437's upper half, from the published IBM table.
constexpr std::array<char16_t, 128> cp437_high = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF,
    0x00EE, 0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9,
    0x00FF, 0x00D6, 0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA,
    0x00F1, 0x00D1, 0x00AA, 0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255D, 0x255C, 0x255B, 0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F,
    0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584, 0x258C, 0x2590, 0x2580,
    0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4, 0x03A6, 0x0398, 0x03A9, 0x03B4,
    0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00F7, 0x2248,
    0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0};

void append_utf8(std::string& out, char32_t point) {
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xC0U | point >> 6U));
    out.push_back(static_cast<char>(0x80U | (point & 0x3FU)));
  } else {
    out.push_back(static_cast<char>(0xE0U | point >> 12U));
    out.push_back(static_cast<char>(0x80U | (point >> 6U & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | (point & 0x3FU)));
  }
}

char to_byte(Charset charset, char32_t point) {
  if (point < 0x80) {
    return static_cast<char>(point);
  }
  if (charset == Charset::latin1) {
    return point < 0x100 ? static_cast<char>(static_cast<unsigned char>(point)) : '?';
  }
  const auto* found = std::find(cp437_high.begin(), cp437_high.end(), point);
  return found == cp437_high.end() ? '?' : static_cast<char>(0x80 + (found - cp437_high.begin()));
}

/// Length that a UTF-8 lead byte announces; 0 for a byte that cannot lead.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    return 2;
  }
  if (lead >= 0xE0 && lead < 0xF0) {
    return 3;
  }
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

char32_t decode_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) {
    return lead;
  }
  char32_t point = lead & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) {
    point = point << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return point;
}

}  // namespace

std::optional<Charset> charset_from_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "utf-8" || lower == "utf8") {
    return Charset::utf8;
  }
  if (lower == "latin1" || lower == "latin-1" || lower == "iso-8859-1") {
    return Charset::latin1;
  }
  if (lower == "cp437" || lower == "ibm437") {
    return Charset::cp437;
  }
  return std::nullopt;
}

std::string decode_output(Charset charset, std::string_view bytes) {
  if (charset == Charset::utf8) {
    return std::string(bytes);
  }
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else {
      append_utf8(out, charset == Charset::latin1 ? char32_t{byte} : cp437_high[byte - 0x80U]);
    }
  }
  return out;
}

std::string InputEncoder::encode(std::string_view text) {
  if (charset_ == Charset::utf8) {
    return std::string(text);
  }
  held_.append(text);
  std::string out;
  out.reserve(held_.size());
  std::size_t at = 0;
  while (at < held_.size()) {
    const std::size_t length = sequence_length(static_cast<unsigned char>(held_[at]));
    std::size_t have = 1;
    while (have < length && at + have < held_.size() && is_continuation(held_[at + have])) {
      ++have;
    }
    if (length != 0 && have < length && at + have == held_.size()) {
      break;  // cut at the end of the write: the rest may come
    }
    out.push_back(have == length ? to_byte(charset_, decode_point({held_.data() + at, have}))
                                 : '?');
    at += have;
  }
  held_.erase(0, at);
  return out;
}

}  // namespace troupe::remote
