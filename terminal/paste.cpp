// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "terminal/keys.hpp"

namespace troupe::terminal {
namespace {

constexpr std::string_view paste_begin = "\x1b[200~";
constexpr std::string_view paste_end = "\x1b[201~";

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The size of an end of a paste at the end of `text`: with CSI as ESC [, as the character U+009B,
/// or as the bare byte where it is no part of a character.
std::size_t trailing_paste_end(std::string_view text) {
  if (ends_with(text, paste_end)) {
    return paste_end.size();
  }
  if (ends_with(text,
                "\xC2\x9B"
                "201~")) {
    return 6;
  }
  if (ends_with(text,
                "\x9B"
                "201~") &&
      (text.size() == 5 || static_cast<unsigned char>(text[text.size() - 6]) < 0x80)) {
    return 5;
  }
  return 0;
}

/// CR for each line end. Ends of a paste are removed as they form, also where removing one brings
/// the parts of another together.
std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      if (i == 0 || text[i - 1] != '\r') {
        result += '\r';
      }
      continue;
    }
    result += text[i];
    if (text[i] == '~') {
      result.resize(result.size() - trailing_paste_end(result));
    }
  }
  return result;
}

std::string_view without_line_ends(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::string encode_paste(std::string_view text, const InputModes& modes) {
  std::string cleaned = clean(text);
  if (!modes.bracketed_paste) {
    return cleaned;
  }
  return std::string(paste_begin).append(cleaned).append(paste_end);
}

std::string run_input(std::string_view text, const InputModes& modes) {
  text = without_line_ends(text);
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
  });
  InputModes framing = modes;
  framing.bracketed_paste = modes.bracketed_paste && controls;
  return encode_paste(text, framing) + "\r";
}

Typed how_typed(std::string_view text, const InputModes& modes) {
  const bool one_line = without_line_ends(text).find_first_of("\r\n") == std::string_view::npos;
  return one_line || modes.bracketed_paste ? Typed::whole : Typed::by_lines;
}

}  // namespace troupe::terminal
