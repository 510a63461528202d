// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How to start a shell with the integration loaded for that terminal only. The user's files are
/// not touched and still run, in the shell's own order; nothing is typed into the terminal, so
/// nothing of it is on the screen or in the history.

#include <map>
#include <string>
#include <vector>

namespace troupe::shell {

/// A file of the integration directory: its path below it, and its bytes.
struct IntegrationFile {
  std::string path;
  std::string content;
};

/// What to start in place of the asked program. Where nothing is to change (another program, a
/// script, `bash -c`, an option this page does not know) `integrated` is false, `args`
/// are the asked ones and `env` is empty.
struct LaunchPlan {
  bool integrated = false;
  std::vector<std::string> args;           ///< after the program, in place of the asked ones
  std::map<std::string, std::string> env;  ///< to be set for the child on top of its environment
};

/// What is asked for. `env` is the child's environment as it would be without the integration.
struct LaunchRequest {
  std::string program;  ///< a path, or a name for PATH
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
};

/// All files that plans name. They are constant: whoever starts terminals writes them once, into a
/// directory that nobody else can write (`install`).
std::vector<IntegrationFile> integration_files();

/// The plan for a shell whose integration files are in `integration_dir` (an absolute path). Pure.
/// `TROUPE_NONCE` is the caller's to set.
///
///   bash     --rcfile in front: the file reads ~/.bashrc (or the asked --rcfile), then integrates.
///            As a login shell, which ignores --rcfile, or with --norc: through the POSIX start-up
///            file `ENV`, which reads what is left to read, or nothing.
///   zsh      ZDOTDIR leads to a .zshenv that puts the user's ZDOTDIR back before anything of the
///            user's is read. -f would skip it: it is taken away, and the file switches RCS off.
///   fish     --init-command, which runs after the user's config files or without them; and the
///   shell's own marks
///            (fish >= 4), which carry no nonce, are switched off so that no command shows twice.
LaunchPlan plan(const LaunchRequest& request, const std::string& integration_dir);

}  // namespace troupe::shell
