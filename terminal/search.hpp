// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Search through history and screen, by logical lines.

#include <cstddef>

#include "base/result.hpp"
#include "terminal/requests.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {

inline constexpr std::size_t default_search_matches = 100;
inline constexpr std::size_t max_search_matches = 10'000;
/// What a match shows of its line; of a longer line the part around the match.
inline constexpr std::size_t max_match_line_bytes = 4096;
/// Text that one search looks at; the reply is `truncated` there and says where to go on.
inline constexpr std::size_t max_search_bytes = 16U * 1024 * 1024;

/// Matches from `spec.cursor` (default: the oldest text) on, oldest first. Soft wraps are joined,
/// a match never spans a hard break, and empty matches do not count. A search that came to the end
/// goes on at the start of the cursor's line or behind the last match: what is printed later is
/// found, and no match twice.
///
/// Bounds: matches, bytes of the reply and bytes looked at, each with `truncated` and a `next` that
/// goes on behind the last match. A line is looked at in pieces of 64 KiB to 128 KiB, which a match
/// of up to 64 KiB may straddle.
Result<SearchSlice> search(const RowSource& rows, const TextReader& reader, const SearchSpec& spec);

}  // namespace troupe::terminal
