// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Completion scripts, made from the table of commands itself, so that they cannot drift from it.

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace troupe::client::cli {

/// The script for `bash`, `zsh` or `fish`; empty for another shell.
std::string completions(const CLI::App& app, std::string_view shell);

}  // namespace troupe::client::cli
