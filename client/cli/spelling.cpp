// SPDX-License-Identifier: MIT
#include "client/cli/spelling.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace troupe::client::cli {
namespace {

constexpr std::uint32_t max_column = 65'535;

template <class Number>
bool whole_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  if (digit >= 'a' && digit <= 'f') {
    return digit - 'a' + 10;
  }
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

}  // namespace

std::optional<CursorSpec> parse_cursor(std::string_view text) {
  if (text == "now" || text == "end") {
    return CursorSpec{CursorNow{}};
  }
  if (text == "start" || text == "oldest") {
    return CursorSpec{CursorOldest{}};
  }
  CursorAt at;
  const std::size_t epoch_mark = text.find('@');
  if (epoch_mark != std::string_view::npos) {
    std::uint32_t epoch = 0;
    if (!whole_number(text.substr(epoch_mark + 1), epoch)) {
      return std::nullopt;
    }
    at.epoch = epoch;
    text = text.substr(0, epoch_mark);
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos &&
      (!whole_number(text.substr(colon + 1), at.col) || at.col > max_column)) {
    return std::nullopt;
  }
  return whole_number(text.substr(0, colon), at.seq) ? std::optional<CursorSpec>{at} : std::nullopt;
}

std::string cursor_text(const Cursor& cursor) {
  std::string text = std::to_string(cursor.seq) + ":" + std::to_string(cursor.col);
  if (cursor.epoch != 0) {
    text += "@" + std::to_string(cursor.epoch);
  }
  return text;
}

std::string decode_escapes(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] != '\\' || at + 1 == text.size()) {
      bytes += text[at];
    } else if (next == 'n' || next == 'r') {
      bytes += '\r';
      ++at;
    } else if (next == 't' || next == '\\' || next == '0') {
      bytes += next == 't' ? '\t' : next == '0' ? '\0' : '\\';
      ++at;
    } else if (next == 'x' && at + 3 < text.size() && hex_digit(text[at + 2]) >= 0 &&
               hex_digit(text[at + 3]) >= 0) {
      bytes += static_cast<char>(hex_digit(text[at + 2]) * 16 + hex_digit(text[at + 3]));
      at += 3;
    } else {
      bytes += '\\';
    }
  }
  return bytes;
}

std::string_view record_status(const CommandRecord& record) {
  if (record.running) {
    return "running";
  }
  if (record.incomplete) {
    return "incomplete";
  }
  return record.exit_code ? "exited" : "done";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view safe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(safe) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char letter : text) {
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return word + "'";
}

bool runs_something(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '#') {
      return true;
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

bool has_open_quote(std::string_view text) {
  if (text.find_first_of("`#") != std::string_view::npos ||
      text.find("$(") != std::string_view::npos || text.find("<<") != std::string_view::npos) {
    return false;
  }
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '\\' && quote == '\'') {
      return false;
    }
    if (letter == '\\') {
      ++at;
    } else if (letter == quote) {
      quote = 0;
    } else if (quote == 0 && (letter == '"' || letter == '\'')) {
      quote = letter;
    }
  }
  return quote != 0;
}

}  // namespace troupe::client::cli
