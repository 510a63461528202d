// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Text cut to what fits a model's context: the head and the tail stay, the middle is counted.

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

/// Bounds: the text holds at most `max_bytes` of the original and one line that names the gap; cuts
/// fall between characters. One third of the room is the head's, the rest the tail's.
Excerpt excerpt(std::string_view text, const Caps& caps);

/// The bytes of the first `lines` lines, their ends included.
std::size_t bytes_of_lines(std::string_view text, std::size_t lines);

/// Rows joined with "\n", without blank rows at the end.
std::string join_rows(const std::vector<std::string>& rows);

}  // namespace troupe::mcp
