// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How a person names a terminal, as a decision over the daemon's list.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "protocol/terminal_info.hpp"

namespace troupe::client::cli {

enum class Matching : std::uint8_t { exact, prefix };

/// 12 lower-case hex digits.
std::string hex_id(TerminalId id);

/// The index of the terminal that `named` means: an id in decimal or as 12 hex digits first, then a
/// whole title, then (with `prefix`) a unique beginning of a title or of either form of the id.
/// `not_found` where there is none; `bad_request`, naming the candidates, where there are several.
Result<std::size_t> match_terminal(const std::vector<protocol::TerminalInfo>& terminals,
                                   std::string_view named, Matching matching);

/// What a completion offers for a terminal: its id, and its title and label where they name it and
/// no other. Left out is what a line of text cannot carry, and what would be taken for an option.
std::vector<std::string> completion_words(const std::vector<protocol::TerminalInfo>& terminals);

}  // namespace troupe::client::cli
