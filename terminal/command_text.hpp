// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The command line as it stands on the screen between the end of the prompt and the start of the
/// output: the fallback where the shell does not declare it.

#include <cstddef>
#include <string>

#include "base/cursor.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {

/// The text from `input` (the cursor at mark B) to `output` (the cursor at mark C), without the
/// line end that Enter made, without trailing white space and without a right prompt; at most
/// `max_bytes` bytes. Empty where the screen was cleared between the marks.
///
/// What a shell prints in front of continuation lines (PS2) is text like any other and stays. A
/// right prompt is known by its place: it stands in the prompt's row, ends at the right edge (or
/// one cell before it), and at least two blanks part it from the command.
std::string recover_command(const RowSource& rows, const Anchor& input, const Cursor& output,
                            std::size_t max_bytes);

}  // namespace troupe::terminal
