// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The service's limits, from `TROUPE_*` variables, read once at start.

#include <chrono>
#include <cstddef>
#include <string>

#include "actors/decisions/terminal_book.hpp"
#include "actors/recording_plan.hpp"
#include "pty/launch_spec.hpp"
#include "terminal/terminal.hpp"

namespace troupe::actors {

struct Settings {
  terminal::TerminalOptions terminal;  ///< without title and nonce
  RetentionLimits retention;
  RecordingSettings recording;
  std::size_t max_terminals = 10'000;        ///< TROUPE_MAX_TERMINALS
  std::chrono::milliseconds linger{60'000};  ///< TROUPE_LINGER_MS
  std::size_t workers = 0;                   ///< TROUPE_WORKERS; 0: by the number of cores
  std::string agent_path;                    ///< SSH_AUTH_SOCK of every terminal; empty: left alone
  std::string integration_dir;   ///< where the shell integration is installed; empty: nowhere
  pty::Environment environment;  ///< the daemon's own
};

Settings settings_from_environment();

}  // namespace troupe::actors
