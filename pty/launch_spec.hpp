// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What to start, as a plain value, and the pure decisions about it: which environment the child
/// gets, which file is executed, where it starts.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pty/channel.hpp"

namespace troupe::pty {

using Environment = std::map<std::string, std::string>;

struct LaunchSpec {
  std::string program;
  std::vector<std::string> args;
  std::string cwd;  ///< missing, relative or no directory: the child starts in its $HOME
  Environment env;  ///< of the request; wins over the daemon's own
  Environment
      extra;  ///< of the daemon for this terminal (TROUPE_NONCE, SSH_AUTH_SOCK); wins over `env`
  WindowSize size;
};

/// The daemon's own environment as a value.
Environment current_environment();

/// The child's environment: `base` without what belongs to the daemon's own terminal or service
/// manager, `spec.env` on top, then `spec.extra`, then TERM and COLORTERM, which are forced.
Environment child_environment(const Environment& base, const LaunchSpec& spec);

/// Whether the daemon's variable `name` must not reach a child (TMUX, STY, LISTEN_FDS …).
bool is_private_variable(std::string_view name);

/// `bad_request` for a blank program, a zero size, or a NUL byte or "=" where exec allows none. The
/// message is the wire's.
Result<> validate(const LaunchSpec& spec);

/// The files to try, in order: `program` itself where it has a slash (relative to `cwd`), else
/// each directory of the child's PATH.
std::vector<std::string> executable_candidates(std::string_view program, const Environment& env,
                                               std::string_view cwd);

}  // namespace troupe::pty
