// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Names of what a daemon offers beyond the first protocol 7, as `pong` and the registration list
/// them. A client asks for a feature only where its name is announced.

#include <array>
#include <string_view>

namespace troupe::protocol::feature {

inline constexpr std::string_view rename = "rename";
inline constexpr std::string_view request_id = "request_id";
inline constexpr std::string_view mux_output = "mux_output";
inline constexpr std::string_view child_exit = "child_exit";
inline constexpr std::string_view history_rows = "history_rows";
inline constexpr std::string_view journal = "journal";
inline constexpr std::string_view journal_events = "journal_events";
inline constexpr std::string_view text = "text";
inline constexpr std::string_view history = "history";
inline constexpr std::string_view control = "control";
inline constexpr std::string_view resync = "resync";
inline constexpr std::string_view ledger = "ledger";
inline constexpr std::string_view kinds = "kinds";
inline constexpr std::string_view recording = "recording";
inline constexpr std::string_view integrate = "integrate";
inline constexpr std::string_view ssh_agent = "ssh_agent";
inline constexpr std::string_view status = "status";
inline constexpr std::string_view terminals_wait = "terminals_wait";

/// Every name, in the order in which they are announced.
inline constexpr std::array all{rename,    request_id,     mux_output,    child_exit, history_rows,
                                journal,   journal_events, text,          history,    control,
                                resync,    ledger,         kinds,         recording,  integrate,
                                ssh_agent, status,         terminals_wait};

}  // namespace troupe::protocol::feature
