// SPDX-License-Identifier: MIT
#include "mcp/line_reader.hpp"

namespace troupe::mcp {

void LineReader::feed(std::string_view bytes) {
  if (skipping_) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      return;
    }
    bytes.remove_prefix(end + 1);
    skipping_ = false;
  }
  buffer_.append(bytes);
}

std::optional<std::string> LineReader::next() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    if (buffer_.size() > max_line_bytes) {
      buffer_.clear();
      scanned_ = 0;
      skipping_ = true;
    }
    return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  scanned_ = 0;
  if (!line.empty() && line.back() == '\r') {
    line.pop_back();
  }
  return line.size() > max_line_bytes ? next() : std::optional(std::move(line));
}

std::optional<std::string> LineReader::rest() {
  if (buffer_.empty()) {
    return std::nullopt;
  }
  feed("\n");
  return next();
}

}  // namespace troupe::mcp
