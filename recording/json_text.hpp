// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// JSON strings at the speed of bulk output, for this folder's writers.

#include <string>
#include <string_view>

namespace troupe::recording {

/// Whether all of `bytes` is well-formed UTF-8. As `is_valid_utf8`, for each byte that a
/// recorded terminal prints.
bool is_utf8(std::string_view bytes);

/// Appends `text`, which must be UTF-8, as a JSON string with its quotes.
void append_json_string(std::string_view text, std::string& out);

/// The text as a JSON string; ill-formed bytes become U+FFFD.
std::string json_string(std::string_view text);

/// How many bytes at the end of `text` are the beginning of a character that is not complete.
std::size_t incomplete_utf8_tail(std::string_view text);

}  // namespace troupe::recording
