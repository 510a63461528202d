// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The shell integration as text: what `troupe shell-integration SHELL` prints for the user's own
/// rc file. It makes the shell mark its prompts, commands and exit codes, which is all that the
/// command journal knows of a shell. docs/shell-integration.md has the marks and the limits.

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::shell {

enum class Shell : std::uint8_t { bash, zsh, fish };

/// The shell called `name` (`bash`, `zsh`, `fish`, exactly); nothing for any other.
std::optional<Shell> shell_named(std::string_view name);

/// The snippet, static text that ends with a newline.
std::string_view snippet(Shell shell);

}  // namespace troupe::shell
