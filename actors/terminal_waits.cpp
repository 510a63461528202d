// SPDX-License-Identifier: MIT

/// @file
/// The requests that are answered later: waits for text and commands, for the exit, and how a
/// client takes one back.

#include <utility>

#include "actors/terminal_core.hpp"
#include "base/signal_name.hpp"
#include "terminal/keys.hpp"

namespace troupe::actors {

void TerminalCore::remember_wait(const Waiting& waiting, const Result<terminal::WaitId>& wait,
                                 terminal::Effects& effects, Moment now) {
  if (wait) {
    waits_.emplace(*wait, waiting);
    waits_by_key_.emplace(waiting.to.key, *wait);
  }
  apply_effects(effects, now);
  if (!wait) {
    waiting.to(protocol::reply::Error{wait.error()});
  }
}

void TerminalCore::answer_wait(terminal::WaitId wait, telemetry::WaitEnd outcome,
                               protocol::Response response) {
  if (const auto node = waits_.extract(wait); !node.empty()) {
    waits_by_key_.erase(node.mapped().to.key);
    ports_.telemetry->wait_ended(node.mapped().kind, outcome);
    node.mapped().to(std::move(response));
  }
}

/// Several lines are one command only where they are pasted. A shell that takes pastes does not
/// while it is between a command and its next prompt, where a client that sends one `run` after the
/// other always meets it.
bool TerminalCore::prompt_is_due(std::string_view text) const {
  return takes_pastes_ &&
         terminal::how_typed(text, terminal_.screen().input_modes()) == terminal::Typed::by_lines;
}

Result<> TerminalCore::type_run(std::string_view text) {
  return write_input(terminal_.run_input(text), {}, false, Origin::client);
}

void TerminalCore::type_held_run(Moment now) {
  takes_pastes_ = takes_pastes_ || terminal_.screen().input_modes().bracketed_paste;
  if (!held_run_ || (prompt_is_due(held_run_->text) && now.steady_us < held_run_->due_us)) {
    return;
  }
  const HeldRun run = *std::exchange(held_run_, std::nullopt);
  if (!waits_.contains(run.wait)) {
    return;  // nobody waits for it any more
  }
  if (const Result<> typed = type_run(run.text); !typed) {
    terminal_.cancel_wait(run.wait);
    answer_wait(run.wait, telemetry::WaitEnd::failed, protocol::reply::Error{typed.error()});
  }
}

void TerminalCore::cancel(RequestKey key) {
  if (const auto known = waits_by_key_.extract(key); !known.empty()) {
    const auto wait = waits_.extract(known.mapped());
    terminal_.cancel_wait(known.mapped());
    ports_.telemetry->wait_ended(wait.mapped().kind, telemetry::WaitEnd::cancelled);
  } else if (exit_waits_.cancel(key)) {
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::cancelled);
  } else if (const auto write = answered_writes_.extract(key); !write.empty()) {
    writes_.at(write.mapped()).answer = false;
  } else {
    std::erase_if(screen_reads_, [&](const ScreenRead& read) { return read.to.key == key; });
  }
  measure();
}

void TerminalCore::answer_exit_waits() {
  for (const ReplyTo& to : exit_waits_.take_all()) {
    protocol::reply::Exit exit;
    exit.exit_code = child_->shell_code();
    exit.signal = signal_name(child_->signal);
    exit.held_by = holders_;
    to(exit);
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::met);
  }
}

void TerminalCore::expire_exit_waits(Moment now) {
  for (const ReplyTo& to : exit_waits_.take_due(now.steady_us)) {
    protocol::reply::Exit exit;
    exit.timed_out = true;
    to(exit);
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::timed_out);
  }
}

}  // namespace troupe::actors
