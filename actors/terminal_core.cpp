// SPDX-License-Identifier: MIT
#include "actors/terminal_core.hpp"

#include <algorithm>
#include <utility>

#include "actors/decisions/signal_name.hpp"
#include "actors/telemetry_words.hpp"

namespace troupe::actors {
namespace {

// A stream that ends right after its child needs no walk over the processes that hold it.
constexpr std::int64_t holders_delay_us = 10'000;
// What a forced end waits at most for the walk: who held the stream cannot be told after it.
constexpr std::int64_t holders_patience_us = 500'000;
// So long after the child's exit without output, its own output is drained.
constexpr std::int64_t drained_quiet_us = 10'000;
// The channel and the kernel hold no more than this of what a child printed: what comes behind it
// is the output of others.
constexpr std::size_t drained_bytes =
    pty::max_unconsumed_chunks * pty::max_chunk_bytes + std::size_t{256} * 1024;

terminal::Size size_of(const protocol::TerminalInfo& info) {
  return {info.cols, info.rows};
}

}  // namespace

terminal::Now terminal_now(Moment now) {
  return {now.wall_ms, now.steady_ms()};
}

TerminalCore::TerminalCore(TerminalConfig config, TerminalPorts ports)
    : config_(std::move(config)),
      ports_(std::move(ports)),
      terminal_(size_of(config_.info), config_.options),
      asked_size_(size_of(config_.info)),
      pid_(config_.info.pid),
      connector_(connector_of(config_.info.kind)) {
  if (config_.recording) {
    begin_recording(std::move(*config_.recording), nullptr);
    config_.recording.reset();
  }
  publish_info();
  ports_.board->measured(terminal_.memory_bytes(), 0);
}

TerminalCore::~TerminalCore() = default;

// -- output --------------------------------------------------------------------------------------

void TerminalCore::on_channel(pty::ChannelEvent event, Moment now) {
  if (auto* const data = std::get_if<pty::Data>(&event)) {
    on_data(std::move(*data), now);
  } else if (const auto* const written = std::get_if<pty::Written>(&event)) {
    on_written(*written, now);
  } else if (const auto* const end = std::get_if<pty::EndOfStream>(&event)) {
    stream_over_ = true;
    stream_forced_ = end->forced;
    maybe_exited(now);
  } else if (const auto* const child = std::get_if<pty::ChildExit>(&event)) {
    child_ = child->status;
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
  } else if (const auto* const failed = std::get_if<pty::Failed>(&event)) {
    failure_ = failed->error.message;
    if (recorded()) {
      recording_->port->error(*failure_);
    }
    info_dirty_ = true;
    ports_.channel->terminate();
  }
  tell_drained(now);
  settle(now);
}

void TerminalCore::on_data(pty::Data data, Moment now) {
  if (drained_due_us_) {
    drained_due_us_ = now.steady_us + drained_quiet_us;
  }
  ports_.telemetry->output(connector_, data.bytes.size());
  input_.emplace_back(SharedBytes{std::move(data.bytes)});
  looks_.activity(now.steady_us);
  pump(now);
}

void TerminalCore::resume(Moment now) {
  pump(now);
  maybe_exited(now);
  tell_drained(now);
  settle(now);
}

void TerminalCore::pump(Moment now) {
  if (input_.empty()) {
    return;
  }
  const SharedBytes chunk = input_.front();
  const StreamOffset start = terminal_.tail();
  terminal::Effects effects;
  std::string_view const bytes = chunk.view().substr(input_at_);
  terminal::FeedResult const fed = terminal_.feed(bytes, terminal_now(now), work_budget, effects);
  frames_.shown(now.steady_us, terminal_.screen().synchronized_output());
  ports_.board->moved(terminal_.head(), terminal_.tail());
  const SharedBytes piece = chunk.slice(input_at_, fed.consumed);
  if (recorded() && !piece.empty()) {
    recording_->port->output(start, piece);
  }
  publish_feed(start, piece, effects, now);
  input_at_ += fed.consumed;
  bytes_since_exit_ += child_ ? fed.consumed : 0;
  if (input_at_ == chunk.size() && !fed.more) {
    input_.pop_front();
    input_at_ = 0;
    ++credit_owed_;
  }
  if (known_cwd_ != terminal_.cwd()) {
    known_cwd_ = terminal_.cwd();
    info_dirty_ = true;
  }
}

void TerminalCore::give_credit() {
  if (credit_owed_ > 0 && !subscribers_.held()) {
    ports_.channel->consumed(std::exchange(credit_owed_, 0));
    credit_given_ = true;
  }
}

void TerminalCore::on_written(const pty::Written& written, Moment now) {
  auto node = writes_.extract(written.id);
  if (node.empty()) {
    return;
  }
  const PendingWrite& write = node.mapped();
  queued_input_ -= std::min(queued_input_, write.bytes_before + write.bytes);
  if (write.since) {
    report_input(*write.since, now,
                 written.complete ? std::string_view{} : protocol::to_text(Code::exited));
  }
  if (!write.answer) {
    return;
  }
  if (written.complete) {
    protocol::reply::Ok ok;
    ok.written = written.written;
    write.to(ok);
  } else {
    protocol::reply::Error error{
        Error{Code::exited, "the terminal ended before it took the input"}};
    error.written = written.written;
    write.to(error);
  }
}

// -- the end of the program ----------------------------------------------------------------------

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
    restart.to(protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}});
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
  for (const auto& [wait, waiter] : std::exchange(waits_, {})) {
    terminal_.cancel_wait(wait);
    ports_.telemetry->wait_ended(waiter.kind, telemetry::WaitEnd::failed);
    waiter.to(protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}});
  }
  for (const ExitWait& wait : std::exchange(exit_waits_, {})) {
    ports_.telemetry->wait_ended(telemetry::WaitKind::exit, telemetry::WaitEnd::failed);
    wait.to(protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}});
  }
  if (restarting_ && !is_remote(config_.launch)) {
    return;  // goes on when the new child is known
  }
  if (restarting_) {
    // A host that does not answer must not delay the end.
    restarting_->to(protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}});
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
    entry.second(protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}});
  }
  for (const auto& entry : std::exchange(writes_, {})) {
    if (entry.second.since) {
      report_input(*entry.second.since, now, protocol::to_text(Code::exited));
    }
    if (entry.second.answer) {
      entry.second.to(protocol::reply::Error{Error{Code::exited, "the terminal was terminated"}});
    }
  }
  ports_.board->gone({result.survivors.begin(), result.survivors.end()});
}

// -- time ----------------------------------------------------------------------------------------

std::optional<std::int64_t> TerminalCore::deadline_us() const {
  std::optional<std::int64_t> next = subscribers_.empty() ? std::nullopt : coalescer_.deadline_us();
  const auto consider = [&](std::optional<std::int64_t> due) {
    if (due && (!next || *due < *next)) {
      next = due;
    }
  };
  if (const auto due = terminal_.next_deadline()) {
    consider(*due * 1000);
  }
  if (may_look()) {
    consider(looks_.deadline_us());
  }
  consider(holders_due_us_);
  consider(drain_due_us_);
  if (child_exit_published_ && input_.empty() && !subscribers_.held()) {
    consider(drained_due_us_);
  }
  for (const ExitWait& wait : exit_waits_) {
    consider(wait.deadline_us);
  }
  if (!screen_reads_.empty()) {
    consider(screen_due_us(screen_reads_.front()));
  }
  return next;
}

/// Nobody hears of a change where nobody is attached; `list` looks for itself.
bool TerminalCore::may_look() const {
  return pid_ && !child_ && !subscribers_.empty();
}

void TerminalCore::tick(Moment now) {
  if (const auto due = coalescer_.deadline_us(); due && *due <= now.steady_us) {
    flush(now);
  }
  if (const auto due = terminal_.next_deadline(); due && *due <= now.steady_ms()) {
    terminal::Effects effects;
    terminal_.expire(terminal_now(now), effects);
    apply_effects(effects, now);
  }
  if (looks_.take_due(now.steady_us) && may_look()) {
    ports_.channel->look(*pid_);
  }
  if (holders_due_us_ && *holders_due_us_ <= now.steady_us) {
    holders_due_us_.reset();
    ports_.channel->holders();
  }
  if (drain_due_us_ && *drain_due_us_ <= now.steady_us) {
    drain(now);
  }
  tell_drained(now);
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
  settle(now);
}

}  // namespace troupe::actors
