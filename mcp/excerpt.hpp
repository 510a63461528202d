// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Text cut to what fits a model's context: the head and the tail stay, the middle is counted.
/// Lists cut to what fits: their first rows stay.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::mcp {

struct Caps {
  std::size_t max_lines = 200;
  std::size_t max_bytes = 32'768;
};

struct Excerpt {
  std::string text;
  bool truncated = false;
  std::size_t omitted_lines = 0;
  std::size_t omitted_bytes = 0;
};

/// Bounds: the text, with the line that names the gap, has at most `max_lines` lines (3 at least)
/// and `max_bytes` bytes (256 at least); cuts fall between characters. One third of the room is the
/// head's, the rest the tail's.
Excerpt excerpt(std::string_view text, const Caps& caps);

/// The bytes of the first `lines` lines, their ends included.
std::size_t bytes_of_lines(std::string_view text, std::size_t lines);

/// The bytes before the last `lines` lines; what follows the last line end is one, also if empty.
std::size_t bytes_before_last_lines(std::string_view text, std::size_t lines);

/// Rows joined with "\n", without blank rows at the end.
std::string join_rows(const std::vector<std::string>& rows);

/// The room of a list: its first row always has it, so that a reader gets on; each other one while
/// all, with what separates them, have at most `max_bytes`.
class ListRoom {
 public:
  explicit ListRoom(std::size_t max_bytes) : left_(max_bytes) {}

  /// Whether a row of `bytes` fits behind those before it. Ask no more once one did not.
  bool take(std::size_t bytes);

 private:
  std::size_t left_;
  bool any_ = false;
};

}  // namespace troupe::mcp
