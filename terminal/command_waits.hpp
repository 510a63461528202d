// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who waits for the end of a command of one terminal: of one in the journal, or of a line that was
/// typed for a `run`.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "terminal/journal.hpp"
#include "terminal/requests.hpp"
#include "terminal/text_reader.hpp"
#include "terminal/wait_clock.hpp"
#include "terminal/wait_context.hpp"

namespace troupe::terminal {

/// The pending waits for commands.
///
/// Threads: that of the terminal value. Borrows rows, reader, journal and budget.
/// Bounds: those of `Waits`.
/// Invariants: of the runs at most one has not begun; none is armed while a command runs.
/// Order: a wait is answered exactly once, or cancelled.
class CommandWaits {
 public:
  CommandWaits(const RowSource& rows, const TextReader& reader, const Journal& journal,
               AnswerBudget& budget)
      : rows_(rows), reader_(reader), journal_(journal), budget_(budget) {}

  void arm(WaitId id, const CommandSpec& spec, std::int64_t timeout_ms, const WaitContext& context);
  Result<> arm_run(WaitId id, std::int64_t timeout_ms, std::size_t max_bytes,
                   const WaitContext& context, Typed typed);
  void cancel(WaitId id);

  void started(std::uint64_t index);
  /// The shell waits for the rest of the command that was typed.
  void continued(const WaitContext& context);
  void finished(std::uint64_t index, const WaitContext& context);
  /// No more commands come: answers all.
  void child_exited(const WaitContext& context);
  void restarted() { child_exited_ = false; }
  void expire(const WaitContext& context);

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const { return clock_.next(); }
  [[nodiscard]] std::size_t size() const { return waits_.size(); }

 private:
  struct Wait {
    std::optional<std::uint64_t> index;  // absent until the next command starts
    bool run = false;
    Typed typed = Typed::whole;
    WaitTiming timing;
    std::size_t max_bytes = 0;
  };
  using Pending = std::map<WaitId, Wait>;

  Pending::iterator enter(WaitId id, const Wait& wait);
  Pending::iterator leave(Pending::iterator wait);
  Pending::iterator answer(Pending::iterator wait, bool timed_out, const WaitContext& context);
  [[nodiscard]] RunDone run_done(const Wait& wait, std::optional<CommandRecord> record);

  const RowSource& rows_;
  const TextReader& reader_;
  const Journal& journal_;
  AnswerBudget& budget_;
  Pending waits_;
  WaitClock clock_;
  bool child_exited_ = false;
};

}  // namespace troupe::terminal
