// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Strong ids. A terminal id is random, 1 … 2^48-1: a safe integer in JSON, and 12 hex digits
/// where a tool wants text.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace troupe {

struct TerminalId {
  std::uint64_t value = 0;
  auto operator<=>(const TerminalId&) const = default;
};

inline constexpr std::uint64_t max_terminal_id = (std::uint64_t{1} << 48) - 1;

/// An absolute byte offset of a terminal's output, counted from 0 at its creation.
using StreamOffset = std::uint64_t;

}  // namespace troupe

template <>
struct std::hash<troupe::TerminalId> {
  std::size_t operator()(const troupe::TerminalId& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};
