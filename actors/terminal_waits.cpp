// SPDX-License-Identifier: MIT

/// @file
/// The requests that are answered later: waits for text and commands, for the exit, and how a
/// client takes one back.

#include <algorithm>
#include <utility>

#include "actors/terminal_core.hpp"
#include "base/signal_name.hpp"

namespace troupe::actors {

void TerminalCore::remember_wait(const Waiting& waiting, const Result<terminal::WaitId>& wait,
                                 terminal::Effects& effects, Moment now) {
  if (wait) {
    waits_.emplace(*wait, waiting);
  }
  apply_effects(effects, now);
  if (!wait) {
    waiting.to(protocol::reply::Error{wait.error()});
  }
}

void TerminalCore::answer_wait(terminal::WaitId wait, telemetry::WaitEnd outcome,
                               protocol::Response response) {
  if (const auto node = waits_.extract(wait); !node.empty()) {
    ports_.telemetry->wait_ended(node.mapped().kind, outcome);
    node.mapped().to(std::move(response));
  }
}

void TerminalCore::cancel(RequestKey key) {
  for (auto at = waits_.begin(); at != waits_.end(); ++at) {
    if (at->second.to.key == key) {
      terminal_.cancel_wait(at->first);
      ports_.telemetry->wait_ended(at->second.kind, telemetry::WaitEnd::cancelled);
      waits_.erase(at);
      return;
    }
  }
  if (std::erase_if(exit_waits_, [&](const ExitWait& w) { return w.to.key == key; }) > 0) {
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::cancelled);
  }
  std::erase_if(screen_reads_, [&](const ScreenRead& read) { return read.to.key == key; });
  for (auto& entry : writes_) {
    if (entry.second.to.key == key) {
      entry.second.answer = false;
    }
  }
}

void TerminalCore::answer_exit_waits() {
  for (const ExitWait& wait : std::exchange(exit_waits_, {})) {
    protocol::reply::Exit exit;
    exit.exit_code = child_->shell_code();
    exit.signal = signal_name(child_->signal);
    exit.held_by = holders_;
    wait.to(exit);
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::met);
  }
}

void TerminalCore::expire_exit_waits(Moment now) {
  const auto due =
      std::stable_partition(exit_waits_.begin(), exit_waits_.end(),
                            [&](const ExitWait& wait) { return wait.deadline_us > now.steady_us; });
  for (auto at = due; at != exit_waits_.end(); ++at) {
    protocol::reply::Exit exit;
    exit.timed_out = true;
    at->to(exit);
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::timed_out);
  }
  exit_waits_.erase(due, exit_waits_.end());
}

}  // namespace troupe::actors
