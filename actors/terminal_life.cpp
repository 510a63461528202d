// SPDX-License-Identifier: MIT

/// @file
/// How a terminal's program ends, is started anew and is ended: child, stream, and who holds it.

#include <utility>

#include "actors/telemetry_words.hpp"
#include "actors/terminal_core.hpp"
#include "base/signal_name.hpp"

namespace troupe::actors {
namespace {

// A stream that ends right after its child needs no walk over the processes that hold it.
constexpr std::int64_t holders_delay_us = 10'000;
// What a forced end waits at most for the walk: who held the stream cannot be told after it.
constexpr std::int64_t holders_patience_us = 500'000;
// The channel and the kernel hold no more than this of what a child printed: what comes behind it
// is the output of others.
constexpr std::size_t drained_bytes =
    pty::max_unconsumed_chunks * pty::max_chunk_bytes + std::size_t{256} * 1024;

protocol::reply::Error terminated_error() {
  return protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}};
}

}  // namespace

void TerminalCore::on_child_exit(const pty::ExitStatus& status, Moment now) {
  child_ = status;
  info_dirty_ = true;
  bytes_since_exit_ = 0;
  if (!stream_over_) {
    drained_due_us_ = now.steady_us + drained_quiet_us;
    holders_due_us_ = now.steady_us + holders_delay_us;
    if (config_.drain_ms) {
      drain_due_us_ = now.steady_us + *config_.drain_ms * 1000;
    }
  }
  maybe_exited(now);
}

void TerminalCore::maybe_exited(Moment now) {
  if (!input_.empty() || exited_ || !stream_over_) {
    return;
  }
  if (child_ && !child_exit_published_) {
    if (stream_forced_ && holders_due_us_) {
      // The forced end came before the walk was due: its holders belong to the event.
      holders_due_us_.reset();
      ports_.channel->holders();
      return;
    }
    if (!stream_forced_) {
      holders_due_us_.reset();
      holders_.clear();
      publish_child_exit(now);
    }
  }
  if (child_ && child_exit_published_) {
    finish_exit(now);
  }
}

void TerminalCore::on_holders(std::vector<int> pids, Moment now) {
  if (!child_ || exited_) {
    return;
  }
  holders_.assign(pids.begin(), pids.end());
  info_dirty_ = true;
  if (!child_exit_published_) {
    publish_child_exit(now);
  }
  if (end_awaits_holders_ && drain_due_us_) {
    drain(now);
  }
  maybe_exited(now);
  tell_drained(now);
  settle(now);
}

/// The child's own output may still be in the channel when its exit is told, and who holds the
/// stream may print for ever: so it is drained when nothing came for a while although it could, or
/// when more came than had a place.
void TerminalCore::tell_drained(Moment now) {
  if (!drained_due_us_ || !child_exit_published_) {
    return;
  }
  if (bytes_since_exit_ < drained_bytes) {
    if (*drained_due_us_ > now.steady_us || !input_.empty() || subscribers_.held()) {
      return;
    }
    if (std::exchange(credit_given_, false)) {
      drained_due_us_ = now.steady_us + drained_quiet_us;
      return;
    }
  }
  drained_due_us_.reset();
  terminal::Effects effects;
  terminal_.child_exited(terminal_now(now), effects);
  apply_effects(effects, now);
}

/// The time that `drain_ms` leaves the stream is over.
void TerminalCore::drain(Moment now) {
  drain_due_us_.reset();
  if (child_exit_published_ || std::exchange(end_awaits_holders_, true)) {
    ports_.channel->end_stream();
    return;
  }
  if (holders_due_us_) {
    holders_due_us_.reset();
    ports_.channel->holders();
  }
  drain_due_us_ = now.steady_us + holders_patience_us;
}

void TerminalCore::publish_child_exit(Moment now) {
  child_exit_published_ = true;
  info_dirty_ = true;
  protocol::event::ChildExited event;
  event.exit_code = child_->shell_code();
  event.signal = signal_name(child_->signal);
  event.held_by = holders_;
  broadcast(event, now, [](const Subscriber& subscriber) { return subscriber.spec.child_events; });
  answer_exit_waits();
  ports_.board->changed();
}

void TerminalCore::finish_exit(Moment now) {
  exited_ = true;
  ports_.telemetry->program_ended(
      connector_, failure_ ? telemetry::ProgramEnd::failed : program_end_of(*child_));
  info_dirty_ = true;
  holders_due_us_.reset();
  drain_due_us_.reset();
  drained_due_us_.reset();
  terminal::Effects effects;
  terminal_.ended(terminal_now(now), effects);
  apply_effects(effects, now);
  for (Subscriber& subscriber : subscribers_.all()) {
    if (subscriber.lost_from) {
      resync(subscriber, now);
    }
  }
  protocol::event::Exited event;
  event.exit_code = child_->shell_code();
  event.signal = signal_name(child_->signal);
  event.final_offset = terminal_.tail();
  event.held_by = holders_;
  end_recording(stop_info(terminating_ ? "closed" : "eof"));
  config_.secrets.clear();  // no recording begins after this
  broadcast(event, now);
  publish_info();
  std::vector<SubscriberId> over;
  for (const Subscriber& subscriber : subscribers_.all()) {
    if (!subscriber.spec.child_events) {
      over.push_back(subscriber.id);
    }
  }
  for (const SubscriberId id : over) {
    drop(id, protocol::EndReason::exited);
  }
  // Nobody hears of it: all streams that were attached are over.
  for (const SubscriberId id : over) {
    (void)subscribers_.detach(id);
  }
  ports_.board->exited(terminal_.memory_bytes());
}

void TerminalCore::on_reopened(const Result<std::optional<int>>& pid, Moment now) {
  if (!restarting_) {
    return;
  }
  const Restarting restart = std::move(*restarting_);
  restarting_.reset();
  if (terminating_) {
    restart.to(terminated_error());
    pid ? ports_.channel->terminate() : on_terminated({}, now);
    return;
  }
  if (!pid) {
    channel_open_ = false;
    restart.to(protocol::reply::Error{pid.error()});
    return;
  }
  exited_ = stream_over_ = stream_forced_ = child_exit_published_ = end_awaits_holders_ = false;
  channel_open_ = true;
  takes_pastes_ = false;
  held_run_.reset();
  child_.reset();
  failure_.reset();
  holders_.clear();
  pid_ = *pid;
  proc_cwd_.reset();
  credit_owed_ = queued_input_ = unnumbered_input_ = 0;
  terminal::Effects effects;
  terminal_.restarted(terminal_now(now), restart.nonce, effects);
  apply_effects(effects, now);
  record_restart(now);
  publish_info();
  ports_.board->restarted();
  settle(now);
  restart.to(protocol::reply::Ok{});
}

void TerminalCore::terminate(protocol::EndReason reason, Moment now) {
  if (terminating_) {
    return;
  }
  terminating_ = true;
  answer_all_screen_reads();
  end_all(reason, now);
  waits_by_key_.clear();
  for (const auto& [wait, waiter] : std::exchange(waits_, {})) {
    terminal_.cancel_wait(wait);
    ports_.telemetry->wait_ended(waiter.kind, telemetry::WaitEnd::failed);
    waiter.to(terminated_error());
  }
  for (const ReplyTo& to : exit_waits_.take_all()) {
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::failed);
    to(terminated_error());
  }
  if (restarting_ && !is_remote(config_.launch)) {
    return;  // goes on when the new child is known
  }
  if (restarting_) {
    // A host that does not answer must not delay the end.
    restarting_->to(terminated_error());
    restarting_.reset();
  }
  if (channel_open_) {
    ports_.channel->terminate();
  } else {
    on_terminated({}, now);
  }
}

void TerminalCore::on_terminated(const pty::TerminateResult& result, Moment now) {
  if (!terminating_) {
    return;  // it was the channel that failed
  }
  if (!child_ && result.status) {
    child_ = result.status;
  }
  if (!std::exchange(exited_, true)) {
    ports_.telemetry->program_ended(connector_,
                                    failure_ ? telemetry::ProgramEnd::failed
                                             : program_end_of(child_.value_or(pty::ExitStatus{})));
  }
  abandon_recording();
  publish_info();
  gone_ = true;
  for (const auto& entry : std::exchange(signals_, {})) {
    entry.second(terminated_error());
  }
  answered_writes_.clear();
  for (const auto& entry : std::exchange(writes_, {})) {
    if (entry.second.since) {
      report_input(*entry.second.since, now, protocol::to_text(Code::exited));
    }
    if (entry.second.answer) {
      entry.second.to(terminated_error());
    }
  }
  ports_.board->measured(terminal_.memory_bytes(), 0);
  ports_.board->gone({result.survivors.begin(), result.survivors.end()});
}

}  // namespace troupe::actors
