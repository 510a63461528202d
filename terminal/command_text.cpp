// SPDX-License-Identifier: MIT
#include "terminal/command_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/utf8.hpp"

namespace troupe::terminal {
namespace {

/// White space of Unicode beyond ASCII, as UTF-8.
constexpr std::array<std::string_view, 17> wide_spaces = {
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
    "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
    "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

std::size_t trailing_space(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const char last = text.back();
  if (last == ' ' || (last >= '\t' && last <= '\r')) {
    return 1;
  }
  for (const std::string_view space : wide_spaces) {
    if (text.size() >= space.size() && text.substr(text.size() - space.size()) == space) {
      return space.size();
    }
  }
  return 0;
}

std::string_view trim_end(std::string_view text) {
  while (const std::size_t size = trailing_space(text)) {
    text.remove_suffix(size);
  }
  return text;
}

/// The row's text up to its longest run of blanks, where that run is at least two long.
std::string_view before_longest_gap(std::string_view text) {
  std::size_t best_begin = text.size();
  std::size_t best_length = 1;
  for (std::size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at)) {
    const std::size_t end = std::min(text.find_first_not_of(' ', at), text.size());
    if (end - at > best_length) {
      best_begin = at;
      best_length = end - at;
    }
    at = end;
  }
  return text.substr(0, best_begin);
}

bool reaches_right_edge(const RowText& row, std::uint16_t cols) {
  return !row.wrapped && row.used + 1U >= cols;
}

}  // namespace

std::string recover_command(const RowSource& rows, const Anchor& input, const Cursor& output,
                            std::size_t max_bytes) {
  const Cursor from = input.at;
  if (input.evicted || output.seq < from.seq) {
    return {};
  }
  const bool below = output.seq > from.seq;
  // Rows above the output's, or up to the output's place where it does not begin a row.
  const TextReader reader(rows, std::max<std::size_t>(max_bytes, 1));
  TextSlice slice = below && output.col == 0 ? reader.read_rows(input, output.seq, max_bytes)
                                             : reader.read_until(input, output, max_bytes);
  std::string text = std::move(slice.text);
  if (below) {
    const RowText first = rows.row(from.seq, from.col);
    if (reaches_right_edge(first, rows.cols())) {
      const std::string_view kept = before_longest_gap(first.text);
      if (kept.size() < first.text.size()) {
        text.erase(kept.size(), first.text.size() - kept.size());
      }
    }
  }
  return std::string(trim_end(cut_utf8(trim_end(text), max_bytes)));
}

}  // namespace troupe::terminal
