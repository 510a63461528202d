// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Reads one value of a request into its type, or says what it should have been. Private to the
/// codec.

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json_reader.hpp"
#include "protocol/requests.hpp"

namespace troupe::protocol {

/// What the value must be, for the message "field 'x' must be …"; empty where it was read. Text is
/// moved out of `value`.
using Wanted = std::string_view;
inline constexpr Wanted was_read;

Wanted read_value(JsonValue& value, std::string& out);
Wanted read_value(JsonValue& value, bool& out);
Wanted read_value(JsonValue& value, std::uint16_t& out);
Wanted read_value(JsonValue& value, std::uint64_t& out);
/// Milliseconds, 0 … max_timeout_ms.
Wanted read_value(JsonValue& value, std::int64_t& out);
Wanted read_value(JsonValue& value, TerminalId& out);
Wanted read_value(JsonValue& value, std::vector<std::string>& out);
Wanted read_value(JsonValue& value, std::map<std::string, std::string>& out);
Wanted read_value(JsonValue& value, RequestId& out);
Wanted read_value(JsonValue& value, CursorSpec& out);
Wanted read_value(JsonValue& value, CommandSpec& out);
Wanted read_value(JsonValue& value, std::optional<RecordingTarget>& out);
Wanted read_value(JsonValue& value, request::RecordingChange& out);
Wanted read_value(JsonValue& value, Role& out);
Wanted read_value(JsonValue& value, TerminalKind& out);
Wanted read_value(JsonValue& value, Redaction& out);
Wanted read_value(JsonValue& value, SignalTarget& out);
Wanted read_value(JsonValue& value, HistoryFormat& out);

/// A number of rows or "all".
Wanted read_history_rows(JsonValue& value, std::size_t& out);
/// A signal's name or number.
Wanted read_signal(JsonValue& value, int& out);

}  // namespace troupe::protocol
