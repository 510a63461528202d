// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How a request names a place in a terminal's text, and what ends a wait: the words that the
/// terminal value and the wire share, so that nothing has to be translated between them.

#include <cstdint>
#include <optional>
#include <variant>

#include "base/cursor.hpp"

namespace troupe {

/// The present end of the text.
struct CursorNow {
  bool operator==(const CursorNow&) const = default;
};
/// The oldest retained text.
struct CursorOldest {
  bool operator==(const CursorOldest&) const = default;
};
/// `epoch` absent means the present one.
struct CursorAt {
  Sequence seq = 0;
  std::uint32_t col = 0;
  std::optional<std::uint32_t> epoch;
  bool operator==(const CursorAt&) const = default;
};
using CursorSpec = std::variant<CursorNow, CursorOldest, CursorAt>;

/// The newest command, running or not.
struct CommandLatest {
  bool operator==(const CommandLatest&) const = default;
};
/// The command after the running one.
struct CommandNext {
  bool operator==(const CommandNext&) const = default;
};
/// A command by its index, or by its place in time.
using CommandSpec = std::variant<std::uint64_t, CommandLatest, CommandNext>;

/// What answered a text wait. `output`: no condition was given and something was printed.
enum class WaitReason : std::uint8_t { needle, regex, idle, exit, output, timeout };

enum class HistoryFormat : std::uint8_t { plain, ansi };

}  // namespace troupe
