// SPDX-License-Identifier: MIT
#include "client/cli/table.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::client::cli {
namespace {

/// Characters, not bytes; wide ones are not worth a table of widths here.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      text += row[column];
      if (column + 1 < row.size()) {
        text.append(widths[column] - width_of(row[column]) + 2, ' ');
      }
    }
    text += '\n';
  }
  return text;
}

std::string duration_text(std::int64_t milliseconds) {
  constexpr std::int64_t second = 1000;
  constexpr std::int64_t minute = 60 * second;
  constexpr std::int64_t hour = 60 * minute;
  if (milliseconds < second) {
    return std::to_string(milliseconds) + "ms";
  }
  if (milliseconds < minute) {
    return std::to_string(milliseconds / second) + "." +
           std::to_string(milliseconds % second / 100) + "s";
  }
  if (milliseconds < hour) {
    return std::to_string(milliseconds / minute) + "m" +
           std::to_string(milliseconds % minute / second) + "s";
  }
  return std::to_string(milliseconds / hour) + "h" + std::to_string(milliseconds % hour / minute) +
         "m";
}

}  // namespace troupe::client::cli
