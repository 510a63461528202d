// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The scripts of `snippets/` and `launch/` as text, put in by the build. For this folder only.

#include <string_view>

namespace troupe::shell::texts {

extern const std::string_view snippets_troupe_bash;
extern const std::string_view snippets_troupe_zsh;
extern const std::string_view snippets_troupe_fish;
extern const std::string_view launch_rc_bash;
extern const std::string_view launch_posix_bash;
extern const std::string_view launch_login_bash;
extern const std::string_view launch_zshenv_zsh;
extern const std::string_view launch_zshenv_end_zsh;

}  // namespace troupe::shell::texts
