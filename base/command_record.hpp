// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One command of the journal, as the terminal keeps it and the wire carries it.

#include <cstdint>
#include <optional>
#include <string>

#include "base/cursor.hpp"
#include "base/ids.hpp"

namespace troupe {

enum class CommandSource : std::uint8_t { none, declared, screen };
enum class CwdSource : std::uint8_t { none, osc7, osc633, proc };

/// What is known of one command. Bounds: `command` <= TROUPE_JOURNAL_CMD_MAX bytes (4096), `cwd`
/// <= 4096 bytes, both cut at a character boundary.
struct CommandRecord {
  std::uint64_t index = 0;  ///< monotonic per terminal, never reused, survives `restart`
  std::optional<std::string> command;
  CommandSource command_source = CommandSource::none;
  bool trusted = false;  ///< the shell's nonce matched at C and at D
  bool running = false;
  std::optional<std::int32_t> exit_code;
  bool incomplete = false;
  bool evicted = false;
  bool pty_exited = false;
  Cursor start;
  Cursor end;                     ///< exclusive; moves while the command runs
  StreamOffset start_offset = 0;  ///< the byte after the terminator of C
  StreamOffset end_offset = 0;    ///< the first byte of the mark that closed it
  std::int64_t started_ms = 0;    ///< Unix milliseconds
  std::optional<std::int64_t> ended_ms;
  std::optional<std::string> cwd;
  CwdSource cwd_source = CwdSource::none;
};

}  // namespace troupe
