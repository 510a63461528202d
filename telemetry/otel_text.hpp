// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How texts in the standard `OTEL_*` variables are written.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::telemetry {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);
/// Percent escapes decoded; one that is none stays as it is.
std::string decoded(std::string_view text);
/// `a=b,c=d`; nothing where a part has no name or no `=`. At most 64 of 4 KiB.
std::optional<Pairs> parse_pairs(std::string_view text);
/// Neither breaks the framing of a request nor is among what the sender sets itself.
bool is_sendable_header(const std::string& name, const std::string& value);

}  // namespace troupe::telemetry
