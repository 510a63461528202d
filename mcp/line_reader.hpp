// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Lines of a byte stream, as MCP frames its messages on stdio.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::mcp {

/// What clients of today buffer at most for one line.
inline constexpr std::size_t max_line_bytes = std::size_t{10} * 1024 * 1024;

/// Cuts a stream at LF; a CR before it belongs to the end of line.
///
/// Bounds: a line over `max_line_bytes` is dropped whole, without being kept in memory.
class LineReader {
 public:
  void feed(std::string_view bytes);
  /// The next complete line.
  std::optional<std::string> next();
  /// At the end of the stream, what came after the last LF.
  std::optional<std::string> rest();

 private:
  std::string buffer_;
  std::size_t scanned_ = 0;
  bool skipping_ = false;
};

}  // namespace troupe::mcp
