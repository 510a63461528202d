// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What one terminal is asked and what it tells: options, requests, answers and effects, as plain
/// values.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/command_record.hpp"
#include "base/cursor.hpp"
#include "base/host_name.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/text_read.hpp"
#include "terminal/output_log.hpp"
#include "terminal/screen.hpp"

namespace troupe::terminal {

/// Both clocks, given with each call that can need them.
struct Now {
  std::int64_t wall_ms = 0;    ///< Unix milliseconds
  std::int64_t steady_ms = 0;  ///< monotonic milliseconds
};

struct TerminalOptions {
  ScreenLimits screen;
  std::size_t log_bytes = 2U * 1024 * 1024;
  std::size_t journal_max = 256;              ///< TROUPE_JOURNAL_MAX, at least 1
  std::size_t command_max = 4096;             ///< TROUPE_JOURNAL_CMD_MAX
  std::size_t output_max = 1024U * 1024;      ///< TROUPE_OUTPUT_MAX, 4 KiB … 8 MiB
  bool journal = true;                        ///< TROUPE_JOURNAL=0 is the kill switch
  std::string nonce;                          ///< TROUPE_NONCE of the child
  std::string title;                          ///< the creation title
  std::string host_name = local_host_name();  ///< OSC 7 of another host is refused
};

// -- what a feed, a resize, an exit or a deadline produced, in stream order ---------------------

/// Bytes for the PTY (query answers).
struct Reply {
  std::string bytes;
};
/// The effective title changed.
struct TitleChanged {
  std::string title;
};
struct CommandStarted {
  CommandRecord record;
};
struct CommandFinished {
  CommandRecord record;
};

/// Identifies a pending wait inside one terminal; given out by the terminal.
using WaitId = std::uint64_t;

using troupe::WaitReason;

/// Answer of `wait`.
struct TextWaitDone {
  WaitId wait = 0;
  TextSlice slice;
  bool matched = false;
  WaitReason reason = WaitReason::timeout;
};
/// Answer of `journal_wait`: a record (running when `timed_out`), or an error (`not_found`).
struct JournalWaitDone {
  WaitId wait = 0;
  Result<CommandRecord> record;
  bool timed_out = false;
};
/// How the text of `run` reaches the shell: in one piece, or line by line, where a shell without
/// bracketed paste asks for the rest of a command (PS2) that is typed already.
enum class Typed : std::uint8_t { whole, by_lines };
/// Answer of `run`: `record` is absent where no mark came within the timeout. `error` instead of
/// all of it where the text is no whole command.
struct RunDone {
  WaitId wait = 0;
  std::optional<Error> error;
  std::optional<CommandRecord> record;
  bool timed_out = false;
  TextSlice slice;
};

/// `offset`: the output up to here precedes the effect.
struct Effect {
  StreamOffset offset = 0;
  std::variant<Reply, TitleChanged, CommandStarted, CommandFinished, TextWaitDone, JournalWaitDone,
               RunDone>
      what;
};
using Effects = std::vector<Effect>;

// -- requests ------------------------------------------------------------------------------------

using troupe::CommandLatest;
using troupe::CommandNext;
using troupe::CommandSpec;
using troupe::CursorAt;
using troupe::CursorNow;
using troupe::CursorOldest;
using troupe::CursorSpec;

struct TextWaitSpec {
  CursorSpec cursor;
  std::optional<std::string> needle;  ///< 1 … 4096 bytes, literal
  std::optional<std::string> regex;   ///< RE2
  std::optional<std::int64_t> idle_ms;
  bool exit = false;
  std::int64_t timeout_ms = 0;  ///< <= 24 h
  std::size_t max_bytes = 0;    ///< 0: the ceiling
};

struct JournalListing {
  std::uint64_t oldest_index = 0;
  std::uint64_t next_index = 0;
  std::vector<CommandRecord> records;  ///< oldest first
  bool truncated = false;
};

using troupe::HistoryFormat;
struct HistorySlice {
  std::vector<std::string> lines;
  Cursor start;
  Cursor next;
  bool truncated = false;
  bool evicted = false;
};

struct SearchSpec {
  std::string pattern;
  bool regex = false;
  bool ignore_case = false;
  std::size_t limit = 0;  ///< 0: the default
  std::optional<CursorSpec> cursor;
};
struct SearchMatch {
  Cursor start;
  Cursor end;
  std::string line;
};
struct SearchSlice {
  std::vector<SearchMatch> matches;
  Cursor next;
  bool truncated = false;
  bool evicted = false;
};

struct CommandOutput {
  CommandRecord record;
  TextSlice slice;
};

}  // namespace troupe::terminal
