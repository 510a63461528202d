// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How a command's end and its output are given to the caller of `output` and `run`.

#include <string>

#include "base/command_record.hpp"
#include "base/cursor.hpp"

namespace troupe::client::cli {

/// The exit status that stands for a command's: its code (over 255: 255; a negative one -n: 128+n),
/// 124 while it runs, 1 where it was cut off, 0 where it ended and told no code.
int status_of_record(const CommandRecord& record);

/// Prints the text and ends it with a newline, except where it is cut inside a line: the next page
/// goes on there, and pages concatenate to the whole. What is written to stderr next begins a line.
void print_page(const TextSlice& slice);

/// The page, and on stderr what is missing and the command line that goes on.
void print_slice(const TextSlice& slice, const std::string& go_on);

}  // namespace troupe::client::cli
