// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Commands that other programs carry out in this one's place, so that signals and the exit status
/// are theirs.

#include <string>
#include <vector>

#include "client/cli/context.hpp"

namespace troupe::client::cli {

/// Becomes the program of the first word, for the same daemon, with the other words as its options
/// and `operands` behind `--`. Returns, with an exit status, only where that fails.
int become(const Context& context, std::vector<std::string> words,
           const std::vector<std::string>& operands = {});

}  // namespace troupe::client::cli
