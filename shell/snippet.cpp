// SPDX-License-Identifier: MIT
#include "shell/snippet.hpp"

#include "shell/texts.hpp"

namespace troupe::shell {

std::optional<Shell> shell_named(std::string_view name) {
  if (name == "bash") {
    return Shell::bash;
  }
  if (name == "zsh") {
    return Shell::zsh;
  }
  if (name == "fish") {
    return Shell::fish;
  }
  return std::nullopt;
}

std::string_view snippet(Shell shell) {
  switch (shell) {
    case Shell::bash:
      return texts::snippets_troupe_bash;
    case Shell::zsh:
      return texts::snippets_troupe_zsh;
    case Shell::fish:
      return texts::snippets_troupe_fish;
  }
  return {};
}

}  // namespace troupe::shell
