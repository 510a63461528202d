// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The command line of `trouped` as a value.

#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace troupe::daemon {

struct Options {
  std::string runtime_directory;  ///< where this daemon registers
  bool standalone = false;        ///< lives without an owner
  std::string log_file;           ///< empty: stderr
  std::string log_level = "warn";
  std::string metrics;  ///< where metrics are served; empty: nowhere
};

/// Text for stdout, then exit 0 (`--version`, `--help`).
struct PrintAndExit {
  std::string text;
};

/// `daemon` may stand anywhere. Without `--name` the variable OPENCODE_PTY_RUNTIME_DIR names the
/// runtime directory; without both it is an error (`bad_request`).
Result<std::variant<Options, PrintAndExit>> parse_options(std::vector<std::string> arguments);

}  // namespace troupe::daemon
