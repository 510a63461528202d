// SPDX-License-Identifier: MIT

/// @file
/// The requests that are answered later: waits for text and commands, for the exit, and how a
/// client takes one back.

#include <utility>

#include "actors/terminal_core.hpp"
#include "base/signal_name.hpp"

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
