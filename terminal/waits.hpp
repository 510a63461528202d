// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who waits for what in one terminal. Waits are answered inside the terminal, at the mark or line
/// that decides: whoever polled from outside would miss a command that starts and ends in between.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "terminal/command_waits.hpp"
#include "terminal/journal.hpp"
#include "terminal/requests.hpp"
#include "terminal/text_reader.hpp"
#include "terminal/text_waits.hpp"
#include "terminal/wait_context.hpp"

namespace troupe::terminal {

/// Waits of one terminal at most; further ones are refused (`limit`).
inline constexpr std::size_t max_pending_waits = 16'384;

/// The pending waits, for text and for commands: one numbering, one bound, one room for answers.
///
/// Threads: that of the terminal value. Borrows rows, reader and journal.
/// Bounds: `max_pending_waits`; of the text each wait holds no more than its matcher.
/// Order: a wait is answered exactly once, or cancelled; at one event those for text come first.
class Waits {
 public:
  Waits(const RowSource& rows, const TextReader& reader, const Journal& journal)
      : reader_(reader), texts_(rows, reader, budget_), commands_(rows, reader, journal, budget_) {}
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  Result<WaitId> arm_text(const TextWaitSpec& spec, const WaitContext& context);
  Result<WaitId> arm_command(const CommandSpec& spec, std::int64_t timeout_ms,
                             const WaitContext& context);
  Result<WaitId> arm_run(std::int64_t timeout_ms, std::size_t max_bytes, const WaitContext& context,
                         Typed typed);
  void cancel(WaitId wait);

  /// A call into the terminal begins: its answers share `max_event_answer_bytes`.
  void begin_event() { budget_.begin_event(); }
  void command_started(std::uint64_t index) { commands_.started(index); }
  /// The shell waits for the rest of the command that was typed.
  void command_continued(const WaitContext& context) { commands_.continued(context); }
  void command_finished(std::uint64_t index, const WaitContext& context) {
    commands_.finished(index, context);
  }
  /// Rows were left by line feeds (see `ScreenEvents::line_finished`).
  void line_finished(const WaitContext& context) { texts_.line_finished(context); }
  /// The end of a chunk that had output.
  void output_seen(const WaitContext& context) { texts_.output_seen(context); }
  void before_resize() { texts_.before_resize(); }
  void after_resize() { texts_.after_resize(); }
  /// The child is dead and what it printed was looked at: answers those who wait for that, and for
  /// commands, of which no more come. Whoever holds the stream may print more text.
  void child_exited(const WaitContext& context);
  /// No more text comes.
  void exited(const WaitContext& context);
  void restarted();
  void expire(const WaitContext& context);

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
  [[nodiscard]] std::size_t size() const { return texts_.size() + commands_.size(); }
  /// Some wait must be told of each finished line.
  [[nodiscard]] bool wants_lines() const { return texts_.wants_lines(); }

 private:
  [[nodiscard]] Result<> admit(std::int64_t timeout_ms) const;

  const TextReader& reader_;
  AnswerBudget budget_;
  TextWaits texts_;
  CommandWaits commands_;
  WaitId next_id_ = 1;
};

}  // namespace troupe::terminal
