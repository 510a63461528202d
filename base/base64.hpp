// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Standard padded base64 (RFC 4648 section 4), the only form that the wire accepts.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace troupe {

std::string base64_encode(std::string_view bytes);
/// Appends to `out`, so that a large text is built in place.
void base64_append(std::string& out, std::string_view bytes);

/// Strict: refuses missing padding, the URL alphabet, white space, and a last symbol with
/// surplus bits (`bad_request`).
Result<std::string> base64_decode(std::string_view text);

}  // namespace troupe
