// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Commands that other programs carry out: `up` and `down` (troupe-scenario), `mcp` (troupe-mcp).
/// They need libraries that a command line which starts in milliseconds should not load. Their
/// options are described once, here, for both programs, the completions and the help.

#include <string>

#include "client/cli/command.hpp"

namespace troupe::client::cli {

struct UpOptions {
  std::string file;
  bool replace = false;
  bool keep = false;
  bool check = false;
};

struct DownOptions {
  std::string named;
  bool force = false;
};

CommandText up_text();
void describe_up(Command& command, UpOptions& options, Context& context);
CommandText down_text();
void describe_down(Command& command, DownOptions& options, Context& context);

/// Adds them as commands that become the other program.
void add_companion_commands(CLI::App& app, Context& context);

}  // namespace troupe::client::cli
