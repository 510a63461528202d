// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One terminal as a value: screen, output log, journal, waits. The terminal actor owns one and
/// forwards to it; everything that needs a decision is decided here, without fds, clocks or CAF.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/command_record.hpp"
#include "base/cursor.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/text_read.hpp"
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
  std::size_t journal_max = 256;          ///< TROUPE_JOURNAL_MAX, at least 1
  std::size_t command_max = 4096;         ///< TROUPE_JOURNAL_CMD_MAX
  std::size_t output_max = 1024U * 1024;  ///< TROUPE_OUTPUT_MAX, 4 KiB … 8 MiB
  bool journal = true;                    ///< TROUPE_JOURNAL=0 is the kill switch
  std::string nonce;                      ///< TROUPE_NONCE of the child
  std::string title;                      ///< the creation title
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
/// Answer of `run`: `record` is absent where no mark came within the timeout.
struct RunDone {
  WaitId wait = 0;
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

struct ReplaySlice {
  StreamOffset available_offset = 0;
  StreamOffset end_offset = 0;
  bool truncated = false;
  std::string bytes;
};

struct CommandOutput {
  CommandRecord record;
  TextSlice slice;
};

class TerminalImpl;

/// One terminal.
///
/// Threads: none of its own; one caller at a time.
/// Order: `Effects` are in stream order; answers of waits come at the mark or line that decides.
/// Bounds: see SPEC.md; a feed stops at the work budget and is resumed with the rest.
class Terminal {
 public:
  Terminal(Size size, TerminalOptions options);
  Terminal(Terminal&&) noexcept;
  Terminal& operator=(Terminal&&) noexcept;
  ~Terminal();

  /// Consumes output of the child: log, screen, journal, waits.
  FeedResult feed(std::string_view bytes, Now now, std::size_t work_budget, Effects& out);
  Size resize(Size size, Now now, Effects& out);
  /// The child has exited and its output is drained: closes the running record, answers waits.
  void child_exited(Now now, Effects& out);
  /// The same terminal starts its command again: offsets and sequences go on. `nonce` is the new
  /// child's.
  void restarted(Now now, std::string nonce, Effects& out);
  /// Waits whose deadline (timeout or idle) is due.
  void expire(Now now, Effects& out);
  /// The earliest deadline of all pending waits, in steady milliseconds.
  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;

  [[nodiscard]] const Screen& screen() const;
  [[nodiscard]] Size size() const;

  // Output log (absolute offsets).
  [[nodiscard]] StreamOffset head() const;
  [[nodiscard]] StreamOffset tail() const;
  /// Bytes from `offset`; an offset beyond the tail is `bad_request`
  /// ("requested offset N is beyond tail T").
  [[nodiscard]] Result<ReplaySlice> replay(StreamOffset offset) const;

  // Titles: user title, else the latest OSC title, else the creation title.
  [[nodiscard]] const std::string& title() const;
  [[nodiscard]] const std::optional<std::string>& user_title() const;
  /// Sets or clears the user title; an effect only when the effective title changes.
  void rename(std::optional<std::string> title, Effects& out);

  /// Working directory as the shell announced it, with its source; `proc` is filled in by the
  /// actor.
  [[nodiscard]] const std::optional<std::string>& cwd() const;
  [[nodiscard]] CwdSource cwd_source() const;

  // Journal and text. All `disabled` where the journal is switched off.
  [[nodiscard]] Result<JournalListing> journal(std::optional<std::uint64_t> from_index,
                                               std::size_t limit, bool tail) const;
  [[nodiscard]] Result<CommandOutput> output(const CommandSpec& index,
                                             const std::optional<CursorSpec>& cursor,
                                             std::size_t max_bytes) const;
  [[nodiscard]] Result<TextSlice> since(const CursorSpec& cursor, std::size_t max_bytes) const;
  [[nodiscard]] Result<HistorySlice> history(const std::optional<CursorSpec>& cursor,
                                             std::optional<std::size_t> rows,
                                             HistoryFormat format) const;
  [[nodiscard]] Result<SearchSlice> search(const SearchSpec& spec) const;

  /// Arms a wait. It may be answered at once (then the answer is in `out`), else by a later call.
  [[nodiscard]] Result<WaitId> arm_text_wait(const TextWaitSpec& spec, Now now, Effects& out);
  [[nodiscard]] Result<WaitId> arm_journal_wait(const CommandSpec& index, std::int64_t timeout_ms,
                                                Now now, Effects& out);
  /// Arms the wait of `run` for the command that starts next. `busy` while one is running. The
  /// caller writes `run_input(text)` after it.
  [[nodiscard]] Result<WaitId> arm_run(std::int64_t timeout_ms, std::size_t max_bytes, Now now,
                                       Effects& out);
  /// What `run` types: the text (bracketed where it has several lines and the shell has that on)
  /// and Enter.
  [[nodiscard]] std::string run_input(std::string_view text) const;
  void cancel_wait(WaitId wait);
  [[nodiscard]] std::size_t pending_waits() const;

  /// `keys` of the wire, encoded for the present modes; an unknown name is `bad_request`.
  [[nodiscard]] Result<std::string> encode_keys(const std::vector<std::string>& keys) const;
  /// A paste: framed when bracketed paste is on, embedded paste ends removed, line ends as CR.
  [[nodiscard]] std::string encode_paste(std::string_view text) const;

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  std::unique_ptr<TerminalImpl> impl_;
};

}  // namespace troupe::terminal
