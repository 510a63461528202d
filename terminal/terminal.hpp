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
#include <vector>

#include "terminal/requests.hpp"
#include "terminal/screen.hpp"

namespace troupe::terminal {

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
  /// The child has exited and its output is drained: closes the running record, answers waits for
  /// the exit and for commands. Output of processes that it left behind may still be fed.
  void child_exited(Now now, Effects& out);
  /// The child has exited and its terminal is closed: answers what still waits.
  void ended(Now now, Effects& out);
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
  /// Arms the wait of `run` for the command that starts next. `busy` while one is running, and
  /// while the shell waits for the rest of one. The caller writes `run_input(text)` after it.
  [[nodiscard]] Result<WaitId> arm_run(std::string_view text, std::int64_t timeout_ms,
                                       std::size_t max_bytes, Now now, Effects& out);
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
