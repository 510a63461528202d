// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The text coordinate that the screen, the journal, the waits and the wire share.

#include <compare>
#include <cstdint>
#include <string>

namespace troupe {

/// The number of a screen or history row. Counted from scroll events, so it never names two
/// different texts within one epoch; after a jump (ED 2, RIS) numbers have gaps.
using Sequence = std::uint64_t;

/// A place in a terminal's text: row `seq`, cell column `col` (0 … cols; `cols` is a pending wrap
/// or the end of a full row), valid in `epoch` (raised by each width change). Used as an end it is
/// exclusive.
struct Cursor {
  Sequence seq = 0;
  std::uint32_t col = 0;
  std::uint32_t epoch = 0;
  bool operator==(const Cursor&) const = default;
};

/// A bounded piece of a terminal's text, as every text read and wait answers it.
struct TextSlice {
  std::string text;  ///< UTF-8, soft wraps joined, hard breaks as "\n"
  Cursor start;      ///< where the text really begins
  Cursor next;       ///< where to continue; never behind the cursor that was asked for
  bool truncated = false;
  bool evicted = false;
  bool alt_screen = false;
};

}  // namespace troupe
