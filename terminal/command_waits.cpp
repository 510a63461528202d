// SPDX-License-Identifier: MIT
#include "terminal/command_waits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"

namespace troupe::terminal {
namespace {

Error no_such_command() {
  return {Code::not_found, "no such command"};
}

constexpr const char* continued_message =
    "the shell waits for the rest of a command line (an open quote, bracket or here-document); "
    "the key ctrl+c ends it";

/// What is shown of the command line that keeps others waiting.
constexpr std::size_t max_shown_bytes = 100;

/// On one line, without what a screen would take for a control.
std::string shown(std::string_view command) {
  std::string text(cut_utf8(command, max_shown_bytes));
  for (char& byte : text) {
    if ((byte >= 0 && byte < ' ') || byte == '\x7f') {
      byte = ' ';
    }
  }
  return text + (text.size() < command.size() ? "…" : "");
}

Error busy_with(const std::optional<CommandRecord>& record) {
  return {Code::busy, "a command is running" +
                          (record && record->command ? ": " + shown(*record->command) : "")};
}

}  // namespace

CommandWaits::Pending::iterator CommandWaits::enter(WaitId id, const Wait& wait) {
  clock_.add(id, wait.timing);
  return waits_.emplace(id, wait).first;
}

CommandWaits::Pending::iterator CommandWaits::leave(Pending::iterator wait) {
  clock_.remove(wait->first, wait->second.timing);
  return waits_.erase(wait);
}

void CommandWaits::cancel(WaitId id) {
  if (const auto wait = waits_.find(id); wait != waits_.end()) {
    leave(wait);
  }
}

void CommandWaits::arm(WaitId id, const CommandSpec& spec, std::int64_t timeout_ms,
                       const WaitContext& context) {
  Wait wait;
  wait.timing = {context.now.steady_ms, context.deadline_after(timeout_ms), {}};
  if (std::holds_alternative<CommandLatest>(spec)) {
    wait.index = journal_.running_index();
  } else if (std::holds_alternative<CommandNext>(spec)) {
    wait.index = journal_.next_index();
  } else {
    wait.index = std::get<std::uint64_t>(spec);
  }
  const bool pending =
      !wait.index || *wait.index >= journal_.next_index() || journal_.running_index() == wait.index;
  const auto armed = enter(id, wait);
  if (!pending || child_exited_) {
    answer(armed, false, context);
  } else if (wait.timing.deadline <= context.now.steady_ms) {
    answer(armed, true, context);
  }
}

Result<> CommandWaits::arm_run(WaitId id, std::int64_t timeout_ms, std::size_t max_bytes,
                               const WaitContext& context, Typed typed) {
  if (child_exited_) {
    return Error{Code::exited, "the terminal's program has exited"};
  }
  if (journal_.continued()) {
    return Error{Code::busy, continued_message};
  }
  const bool waiting = std::any_of(waits_.begin(), waits_.end(), [](const auto& entry) {
    return entry.second.run && !entry.second.index;
  });
  if (const auto running = journal_.running_index()) {
    return busy_with(journal_.record(*running, context.tail));
  }
  if (waiting) {
    return Error{Code::busy, "a command that was typed by another run has not started yet"};
  }
  Wait wait;
  wait.run = true;
  wait.typed = typed;
  wait.timing = {context.now.steady_ms, context.deadline_after(timeout_ms), {}};
  wait.max_bytes = max_bytes;
  const auto armed = enter(id, wait);
  if (wait.timing.deadline <= context.now.steady_ms) {
    answer(armed, true, context);
  }
  return success();
}

RunDone CommandWaits::run_done(const Wait& wait, std::optional<CommandRecord> record) {
  RunDone done;
  if (record) {
    const Anchor from = reader_.output_start(*record);
    const std::size_t limit = budget_.limit(reader_.limit(wait.max_bytes));
    done.slice = record->running ? reader_.read_open(from, limit)
                                 : reader_.read_until(from, record->end, limit);
    budget_.take(done.slice.text.size());
  } else {
    done.slice.start = done.slice.next = rows_.cursor();
  }
  done.record = std::move(record);
  return done;
}

CommandWaits::Pending::iterator CommandWaits::answer(Pending::iterator wait, bool timed_out,
                                                     const WaitContext& context) {
  const auto& [id, what] = *wait;
  auto record = what.index ? journal_.record(*what.index, context.tail) : std::nullopt;
  if (what.run) {
    RunDone done = run_done(what, std::move(record));
    done.wait = id;
    done.timed_out = timed_out;
    context.out->push_back({context.offset, std::move(done)});
  } else if (record) {
    context.out->push_back(
        {context.offset, JournalWaitDone{id, std::move(*record), timed_out && record->running}});
  } else {
    context.out->push_back({context.offset, JournalWaitDone{id, no_such_command(), timed_out}});
  }
  return leave(wait);
}

void CommandWaits::started(std::uint64_t index) {
  for (auto& [id, wait] : waits_) {
    if (!wait.index) {
      wait.index = index;
    }
  }
}

void CommandWaits::continued(const WaitContext& context) {
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    const Wait& what = wait->second;
    if (!what.run || what.index || what.typed != Typed::whole) {
      ++wait;
      continue;
    }
    RunDone done;
    done.wait = wait->first;
    done.error = Error{Code::bad_request, continued_message};
    context.out->push_back({context.offset, std::move(done)});
    wait = leave(wait);
  }
}

void CommandWaits::finished(std::uint64_t index, const WaitContext& context) {
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    wait = wait->second.index == index ? answer(wait, false, context) : std::next(wait);
  }
}

void CommandWaits::child_exited(const WaitContext& context) {
  child_exited_ = true;
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    wait = answer(wait, false, context);
  }
}

void CommandWaits::expire(const WaitContext& context) {
  for (const WaitId id : clock_.due_by(context.now.steady_ms)) {
    answer(waits_.find(id), true, context);
  }
}

}  // namespace troupe::terminal
