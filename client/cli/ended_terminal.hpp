// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What is said of a terminal that is named after it ended and was closed: the daemon's ledger
/// remembers it, its screen and history are gone. `not found` alone sends people looking for a
/// terminal that they did not mistype.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/terminal_info.hpp"

namespace troupe::client::cli {

/// The newest entry with this id (decimal or 12 hex digits) or, where no id is meant, this title.
const protocol::LedgerEntry* find_ended(const std::vector<protocol::LedgerEntry>& entries,
                                        std::string_view named);

/// The newest recording of a terminal in a directory of recordings, by the id in its file's name.
std::optional<std::string> recording_of(const std::string& directory, TerminalId id);

/// `build (123) ended 5m0s ago: exited 3 (terminated); it is closed, its recording is …`.
std::string ended_text(const protocol::LedgerEntry& entry, std::int64_t now_ms,
                       const std::optional<std::string>& recording);

}  // namespace troupe::client::cli
