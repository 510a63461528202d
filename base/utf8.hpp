// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// UTF-8 as the terminal's text and the wire need it: checked, repaired, and cut without splitting
/// a character.

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// The length of the well-formed character at the start of `text`; 0 where there is none.
std::size_t utf8_character_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// `text` with every ill-formed part (a maximal subpart at a time) replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);

/// At most `max_bytes` bytes of `text`, cut at a character boundary.
std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

/// What `text` takes inside a JSON string. Text that other programs choose can grow sixfold there,
/// so a reply that must fit a frame is measured with this.
std::size_t json_string_size(std::string_view text);

}  // namespace troupe
