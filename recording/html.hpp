// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Rows of a terminal's text as one HTML page with their colours, without scripts, fonts or
/// anything else from outside.

#include <string>
#include <string_view>
#include <vector>

namespace troupe::recording {

/// `rows` are text with SGR sequences (as a terminal's `row_ansi` gives them), each beginning in
/// the default pen. Every other escape sequence and control character is left out, and the text
/// cannot become markup. `title` stands in the page's head.
std::string html_page(const std::vector<std::string>& rows, std::string_view title);

}  // namespace troupe::recording
