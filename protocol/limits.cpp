// SPDX-License-Identifier: MIT
#include "protocol/limits.hpp"

#include "protocol/json_writer.hpp"

namespace troupe::protocol {
namespace {

/// Protocol 7 counts a string slot of 24 bytes and a separator for each row.
constexpr std::size_t row_slot_bytes = 24 + 1;
constexpr std::size_t rows_base_bytes = 2;

}  // namespace

std::size_t rows_cost(const std::vector<std::string>& lines) {
  std::size_t cost = rows_base_bytes;
  for (const std::string& line : lines) {
    cost += row_slot_bytes + json_string_size(line);
  }
  return cost;
}

}  // namespace troupe::protocol
