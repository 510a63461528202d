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

constexpr Lead lead_of(unsigned char first) {
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

/// A machine that checks a byte a step. Its state is a shift: the table's word for a byte, shifted
/// by the state, has the next state in its low bits, so that a step waits for one shift only.
namespace steps {

enum State : std::uint64_t {  // six bits each
  whole = 0,
  one_more = 6,
  two_more = 12,
  three_more = 18,
  after_e0 = 24,
  after_ed = 30,
  after_f0 = 36,
  after_f4 = 42,
  ill = 48,
};
constexpr std::uint64_t mask = 63;

constexpr State begin(unsigned char byte) {
  switch (byte) {  // what may follow these is less than any continuation
    case 0xE0:
      return after_e0;
    case 0xED:
      return after_ed;
    case 0xF0:
      return after_f0;
    case 0xF4:
      return after_f4;
    default:
      break;
  }
  constexpr std::array<State, 5> by_length = {ill, whole, one_more, two_more, three_more};
  return by_length.at(lead_of(byte).length);
}

constexpr State next(State state, unsigned char byte) {
  // A continuation; as the second byte, one that the first allows.
  const auto follows = [byte](Lead lead, State then) {
    return byte >= lead.second_low && byte <= lead.second_high ? then : ill;
  };
  switch (state) {
    case whole:
      return begin(byte);
    case one_more:
      return follows({}, whole);
    case two_more:
      return follows({}, one_more);
    case three_more:
      return follows({}, two_more);
    case after_e0:
      return follows(lead_of(0xE0), one_more);
    case after_ed:
      return follows(lead_of(0xED), one_more);
    case after_f0:
      return follows(lead_of(0xF0), two_more);
    case after_f4:
      return follows(lead_of(0xF4), two_more);
    case ill:
      break;
  }
  return ill;
}

constexpr std::array<std::uint64_t, 256> make_table() {
  std::array<std::uint64_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    for (std::uint64_t state = whole; state <= ill; state += one_more) {
      table.at(byte) |=
          std::uint64_t{next(static_cast<State>(state), static_cast<unsigned char>(byte))} << state;
    }
  }
  return table;
}
constexpr std::array<std::uint64_t, 256> table = make_table();

}  // namespace steps
}  // namespace

std::size_t utf8_character_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const Part part = next_part(text);
  return part.valid ? part.length : 0;
}

bool is_valid_utf8(std::string_view text) {
  std::uint64_t state = steps::whole;
  while (!text.empty()) {
    if (state == steps::whole) {
      text.remove_prefix(ascii_length(text));
    }
    // Letters of most scripts stand in rows: no search for the next one after each.
    const std::string_view part = text.substr(0, 32);
    for (const char c : part) {
      state = (steps::table[static_cast<unsigned char>(c)] >> state) & steps::mask;
    }
    if (state == steps::ill) {
      return false;
    }
    text.remove_prefix(part.size());
  }
  return state == steps::whole;
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
