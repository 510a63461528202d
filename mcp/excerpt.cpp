// SPDX-License-Identifier: MIT
#include "mcp/excerpt.hpp"

#include <algorithm>

namespace troupe::mcp {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The byte after the `lines`-th line, at most `bytes` in, at a character boundary.
std::size_t head_end(std::string_view text, std::size_t lines, std::size_t bytes) {
  std::size_t end = 0;
  while (lines > 0 && end < text.size()) {
    const std::size_t newline = text.find('\n', end);
    const std::size_t next = newline == std::string_view::npos ? text.size() : newline + 1;
    if (next > bytes) {
      break;
    }
    end = next;
    --lines;
  }
  if (end == 0 && lines > 0) {  // one line that is longer than the room
    end = std::min(bytes, text.size());
    while (end > 0 && end < text.size() && is_continuation(text[end])) {
      --end;
    }
  }
  return end;
}

std::size_t tail_begin(std::string_view text, std::size_t lines, std::size_t bytes) {
  const std::size_t floor = text.size() - std::min(bytes, text.size());
  std::size_t begin = text.size();
  while (lines > 0 && begin > 0) {
    const std::size_t newline = begin < 2 ? std::string_view::npos : text.rfind('\n', begin - 2);
    const std::size_t previous = newline == std::string_view::npos ? 0 : newline + 1;
    if (previous < floor) {
      break;
    }
    begin = previous;
    --lines;
  }
  if (begin == text.size() && lines > 0) {
    begin = floor;
    while (begin < text.size() && is_continuation(text[begin])) {
      ++begin;
    }
  }
  return begin;
}

std::size_t count_lines(std::string_view text) {
  const bool unfinished = !text.empty() && text.back() != '\n';
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) +
         (unfinished ? 1U : 0U);
}

std::string gap_note(std::size_t lines, std::size_t bytes) {
  return "[... " + std::to_string(lines) + " lines, " + std::to_string(bytes) +
         " bytes omitted ...]\n";
}

}  // namespace

Excerpt excerpt(std::string_view text, const Caps& caps) {
  const std::size_t lines = count_lines(text);
  if (lines <= caps.max_lines && text.size() <= caps.max_bytes) {
    return Excerpt{std::string(text), false, 0, 0};
  }
  // The gap's line has to fit too, with the line end of a head that was cut within a line.
  const std::size_t note = gap_note(lines, text.size()).size() + 1;
  const std::size_t room = caps.max_bytes - std::min(note, caps.max_bytes);
  const std::size_t head_lines = caps.max_lines / 3;
  const std::size_t tail_lines = caps.max_lines - std::min(head_lines + 1, caps.max_lines);
  const std::size_t head = head_end(text, head_lines, room / 3);
  const std::size_t tail = std::max(head, tail_begin(text, tail_lines, room - head));
  Excerpt out;
  out.truncated = true;
  const std::string_view gap = text.substr(head, tail - head);
  out.omitted_bytes = gap.size();
  out.omitted_lines = static_cast<std::size_t>(std::count(gap.begin(), gap.end(), '\n'));
  out.text = std::string(text.substr(0, head));
  if (!out.text.empty() && out.text.back() != '\n') {
    out.text.push_back('\n');
  }
  out.text += gap_note(out.omitted_lines, out.omitted_bytes);
  out.text += text.substr(tail);
  return out;
}

std::size_t bytes_of_lines(std::string_view text, std::size_t lines) {
  std::size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) {
    const std::size_t newline = text.find('\n', end);
    end = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  return end;
}

std::size_t bytes_before_last_lines(std::string_view text, std::size_t lines) {
  std::size_t begin = text.size();
  for (; lines > 0; --lines) {
    const std::size_t newline = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    if (newline == std::string_view::npos) {
      return 0;
    }
    begin = lines == 1 ? newline + 1 : newline;
  }
  return begin;
}

std::string join_rows(const std::vector<std::string>& rows) {
  std::size_t used = rows.size();
  while (used > 0 && rows[used - 1].empty()) {
    --used;
  }
  std::string out;
  for (std::size_t i = 0; i < used; ++i) {
    out += i == 0 ? "" : "\n";
    out += rows[i];
  }
  return out;
}

bool ListRoom::take(std::size_t bytes) {
  const bool fits = bytes < left_;  // and what separates it
  if (!fits && any_) {
    return false;
  }
  any_ = true;
  left_ -= fits ? bytes + 1 : left_;
  return true;
}

}  // namespace troupe::mcp
