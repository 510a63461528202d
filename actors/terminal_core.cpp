// SPDX-License-Identifier: MIT
#include "actors/terminal_core.hpp"

#include <algorithm>
#include <utility>

#include "actors/telemetry_words.hpp"

namespace troupe::actors {
namespace {

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
    on_child_exit(child->status, now);
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

void TerminalCore::turn_took(std::int64_t used_us) {
  slice_.took(std::exchange(read_in_turn_, 0), used_us);
}

void TerminalCore::pump(Moment now) {
  if (input_.empty()) {
    return;
  }
  const SharedBytes chunk = input_.front();
  const StreamOffset start = terminal_.tail();
  terminal::Effects effects;
  std::string_view const bytes = chunk.view().substr(input_at_, slice_.bytes());
  terminal::FeedResult const fed = terminal_.feed(bytes, terminal_now(now), work_budget, effects);
  frames_.shown(now.steady_us, terminal_.screen().synchronized_output());
  ports_.board->moved(terminal_.head(), terminal_.tail());
  const SharedBytes piece = chunk.slice(input_at_, fed.consumed);
  if (recorded() && !piece.empty()) {
    recording_->port->output(start, piece);
  }
  publish_feed(start, piece, effects, now);
  type_held_run(now);
  input_at_ += fed.consumed;
  read_in_turn_ = fed.consumed;
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
  consider(exit_waits_.next());
  if (held_run_) {
    consider(held_run_->due_us);
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
  type_held_run(now);
  expire_exit_waits(now);
  settle(now);
}

}  // namespace troupe::actors
