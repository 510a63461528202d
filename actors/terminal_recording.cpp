// SPDX-License-Identifier: MIT

/// @file
/// The part of a terminal that is recorded: what goes into the recording, and which input of it is
/// a secret.

#include <algorithm>
#include <utility>

#include "actors/terminal_core.hpp"
#include "base/signal_name.hpp"

namespace troupe::actors {

namespace reply = protocol::reply;
using recording::RedactMode;

namespace {

/// A prompt that is longer than these rows is looked at from there on.
constexpr std::uint32_t max_prompt_rows = 16;
/// Enter, Ctrl-C and Ctrl-D.
constexpr std::string_view ends_of_input = "\r\n\x03\x04";

}  // namespace

bool TerminalCore::recorded() const {
  return recording_ && recording_->state != Recording::State::closing;
}

void TerminalCore::begin_recording(RecordingPlan plan, const ReplyTo* to) {
  Recording& recording = recording_.emplace();
  recording.redact = plan.redact;
  recording.path = plan.path();
  plan.spec.secrets = config_.secrets;
  recording.port = ports_.record(std::move(plan.spec));
  if (to != nullptr) {
    recording.waiting.push_back(*to);
  }
  last_recording_.error.reset();
  ++recordings_made_;
  info_dirty_ = true;
  recording.port->begin();
}

void TerminalCore::end_recording(recording::StopInfo info) {
  record_again_ = false;
  if (!recorded()) {
    return;
  }
  // Input that is on its way to the program is not decided yet and never will be.
  typed_.clear();
  secret_line_.reset();
  recording_->state = Recording::State::closing;
  recording_->port->stop(std::move(info));
  info_dirty_ = true;
}

recording::StopInfo TerminalCore::stop_info(std::string reason) const {
  recording::StopInfo info;
  info.reason = failure_ ? "error" : std::move(reason);
  info.message = failure_.value_or("");
  if (child_) {
    info.exit_code = child_->shell_code();
    info.signal = signal_name(child_->signal).value_or("");
  }
  return info;
}

/// The first event makes two rows. What is on its way to the program counts too, so that an input's
/// row is among those that are counted after it.
std::uint64_t TerminalCore::recorded_rows() const {
  return recording_->port->event_count() + 1 + typed_.size();
}

reply::Recording TerminalCore::recording_status() const {
  return recording_ ? reply::Recording{recorded(), recording_->path, recorded_rows(), {}}
                    : last_recording_;
}

/// Those who wait for the file, or for its end, of a terminal that goes now.
void TerminalCore::abandon_recording() {
  end_recording(stop_info("closed"));
  if (recording_) {
    for (const ReplyTo& to : std::exchange(recording_->waiting, {})) {
      to(reply::Error{Error{Code::exited, "the terminal was terminated"}});
    }
  }
}

/// A restarted program is recorded as its first run was, into a file of its own.
void TerminalCore::record_restart(Moment now) {
  if (!config_.recording_wish || config_.recording_wish->target.path) {
    return;
  }
  if (recording_) {
    record_again_ = true;  // when the last one is written
    return;
  }
  RecordingWish wish = *config_.recording_wish;
  wish.earlier = recordings_made_;
  Result<RecordingPlan> plan =
      plan_recording(wish, config_.recording_settings, info(), now.wall_ms);
  if (plan) {
    begin_recording(std::move(*plan), nullptr);
  }
}

void TerminalCore::on_recorder(recording::RecorderEvent event, Moment now) {
  if (!recording_) {
    return;
  }
  if (std::holds_alternative<recording::Opened>(event)) {
    recording_->has_file = true;
    if (recording_->state == Recording::State::opening) {
      recording_->state = Recording::State::running;
      for (const ReplyTo& to : std::exchange(recording_->waiting, {})) {
        to(recording_status());
      }
    }
    return settle(now);
  }
  const auto* const failed = std::get_if<recording::Failed>(&event);
  const auto* const closed = std::get_if<recording::Closed>(&event);
  ports_.telemetry->recording_ended(
      {failed != nullptr, closed != nullptr ? closed->dropped_rows : failed->dropped_rows});
  const std::vector<ReplyTo> waiting = std::move(recording_->waiting);
  if (recording_->has_file) {
    last_recording_ = {
        false, recording_->path, closed != nullptr ? closed->rows : failed->rows, {}};
  }
  last_recording_.error =
      failed != nullptr ? std::optional<std::string>{failed->error.message} : std::nullopt;
  recording_.reset();
  typed_.clear();
  info_dirty_ = true;
  for (const ReplyTo& to : waiting) {
    failed != nullptr ? to(reply::Error{failed->error}) : to(last_recording_);
  }
  if (std::exchange(record_again_, false)) {
    record_restart(now);
  }
  settle(now);
}

std::uint64_t TerminalCore::note_input(const std::string& bytes, Origin origin) {
  if (!recorded() || origin == Origin::terminal) {
    return 0;
  }
  TypedInput typed;
  typed.note = ++last_note_;
  typed.context.flagged = origin == Origin::secret;
  typed.ends_input = bytes.find_first_of(ends_of_input) != std::string::npos;
  if (recording_->redact == RedactMode::passwords) {
    terminal::CursorLine line = terminal_.screen().cursor_line(max_prompt_rows);
    typed.context.cursor_line = std::move(line.text);
    typed.line = line.name;
  }
  const bool masked = recording_->redact == RedactMode::all ||
                      (recording_->redact == RedactMode::passwords && typed.context.flagged);
  if (!masked) {
    typed.bytes = bytes;
  }
  typed_.push_back(std::move(typed));
  return last_note_;
}

void TerminalCore::on_typed(std::uint64_t note, const TypedFate& fate) {
  while (!typed_.empty() && typed_.front().note < note) {
    typed_.pop_front();
  }
  if (typed_.empty() || typed_.front().note != note) {
    return;
  }
  TypedInput typed = std::move(typed_.front());
  typed_.pop_front();
  if (!recorded() || !fate.taken) {
    return;
  }
  typed.context.tty_hides_input = fate.hidden;
  const bool goes_on = recording_->redact == RedactMode::passwords && secret_line_ == typed.line;
  const bool secret = goes_on || recording::is_secret(recording_->redact, typed.context,
                                                      *config_.recording_settings.prompts);
  // Typed key by key, a secret goes on in the line of its prompt although what is echoed of it
  // stands there now: asterisks, or the secret itself.
  secret_line_ = secret && !typed.ends_input ? std::optional{typed.line} : std::nullopt;
  if (secret) {
    recording_->port->masked_input();
  } else {
    recording_->port->input(std::move(typed.bytes));
  }
}

void TerminalCore::record(const ReplyTo& to, const protocol::request::Record& request, Moment now) {
  const bool stops = request.recording && !request.recording->target;
  if (!request.recording || (stops && !recording_)) {
    to(recording_status());
    return;
  }
  if (stops) {
    recording_->waiting.push_back(to);
    end_recording(stop_info("closed"));
    return;
  }
  if (exited_ || recording_) {
    to(exited_ ? reply::Error{Error{Code::exited, "the terminal's program has exited"}}
               : reply::Error{Error{Code::busy, "the terminal is being recorded already"}});
    return;
  }
  Result<RecordingPlan> plan =
      plan_recording({*request.recording->target, request.redact, recordings_made_},
                     config_.recording_settings, info(), now.wall_ms);
  if (!plan) {
    to(reply::Error{plan.error()});
    return;
  }
  begin_recording(std::move(*plan), &to);
}

}  // namespace troupe::actors
