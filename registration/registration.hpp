// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How clients find a daemon: one private directory per name that holds a lock and a registration
/// file. The daemon publishes it (`service_directory.hpp`), clients read it with
/// `load_registration`.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace troupe::registration {

/// The content of `service.json`. `token` is a secret: it is never logged.
struct Registration {
  std::string instance_id;  ///< 32 lower-case hex digits
  int pid = 0;
  int protocol = 0;
  std::string socket;  ///< absolute path, opaque to clients
  std::string token;   ///< 32 lower-case hex digits
  std::vector<std::string> features;
};

/// `[A-Za-z0-9._-]+`, at most 255 bytes, neither `.` nor `..` (`bad_request`).
Result<> validate_name(std::string_view name);

/// `${XDG_STATE_HOME:-~/.local/state}/opencode/pty`; a relative XDG_STATE_HOME is ignored. Where
/// there is no home directory: `$XDG_RUNTIME_DIR/opencode-pty`, else `/tmp/opencode-pty-UID/state`.
std::string default_root();

/// The runtime directory: `root/name`, after the name was checked. An empty root is the default.
/// The result is absolute.
Result<std::string> runtime_directory(std::string_view root, std::string_view name);

/// The runtime directory that a command line asks for: with a name, `runtime_directory`; without,
/// `$OPENCODE_PTY_RUNTIME_DIR`, which is the runtime directory itself; with neither `bad_request`.
Result<std::string> select_runtime_directory(std::string_view root, std::string_view name);

/// `/tmp/opencode-pty-UID`, where the sockets are.
std::string socket_directory();

/// `/tmp/opencode-pty-UID/HEX.sock` for a runtime directory given by its canonical path.
std::string socket_path(std::string_view canonical_runtime_directory);

/// The file's text: pretty JSON, a newline at the end.
std::string encode(const Registration& registration);
/// Refuses what is not a registration (`bad_request`); unknown keys are ignored, `features` may be
/// missing.
Result<Registration> decode(std::string_view text);

/// Reads `service.json` of a runtime directory, for clients. `not_found` where there is none; `io`
/// for a symlink, another owner, a mode that others can read, or a file over 64 KiB.
Result<Registration> load_registration(const std::string& runtime_directory);

}  // namespace troupe::registration
