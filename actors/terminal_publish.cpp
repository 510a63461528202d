// SPDX-License-Identifier: MIT

/// @file
/// The part of a terminal that speaks to its subscribers: order, windows, loss.

#include <algorithm>
#include <map>
#include <utility>

#include "actors/decisions/response_cost.hpp"
#include "actors/telemetry_words.hpp"
#include "actors/terminal_core.hpp"
#include "base/signal_name.hpp"

namespace troupe::actors {
namespace {

// Looking at all rows and records for each key press would cost more than it tells.
constexpr StreamOffset measure_step_bytes = 16U * 1024;

telemetry::WaitEnd outcome_of(bool timed_out) {
  return timed_out ? telemetry::WaitEnd::timed_out : telemetry::WaitEnd::met;
}

bool wants_journal(const Subscriber& subscriber) {
  return subscriber.spec.journal;
}

}  // namespace

void TerminalCore::publish_feed(StreamOffset start, const SharedBytes& fed,
                                terminal::Effects& effects, Moment now) {
  // Of several titles in one piece of output only the last is news.
  std::size_t last_title = effects.size();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (std::holds_alternative<terminal::TitleChanged>(effects[i].what)) {
      last_title = i;
    }
  }
  StreamOffset at = start;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    terminal::Effect& effect = effects[i];
    const bool title = std::holds_alternative<terminal::TitleChanged>(effect.what);
    if (title && i != last_title) {
      continue;
    }
    const bool visible = title || std::holds_alternative<terminal::CommandStarted>(effect.what) ||
                         std::holds_alternative<terminal::CommandFinished>(effect.what);
    if (visible && effect.offset > at) {
      add_output(at, fed.slice(at - start, effect.offset - at), now);
      at = std::min(effect.offset, start + fed.size());
    }
    apply_effect(effect, now);
  }
  add_output(at, fed.slice(at - start), now);
}

void TerminalCore::apply_effects(terminal::Effects& effects, Moment now) {
  for (terminal::Effect& effect : effects) {
    apply_effect(effect, now);
  }
}

void TerminalCore::apply_effect(terminal::Effect& effect, Moment now) {
  namespace event = protocol::event;
  namespace reply = protocol::reply;
  if (auto* const query = std::get_if<terminal::Reply>(&effect.what)) {
    // A program that asks and never reads loses the answers beyond its input's bound.
    (void)write_input(std::move(query->bytes), {}, false, Origin::terminal);
  } else if (auto* const title = std::get_if<terminal::TitleChanged>(&effect.what)) {
    info_dirty_ = true;
    broadcast(event::TitleChanged{std::move(title->title)}, now);
  } else if (auto* const started = std::get_if<terminal::CommandStarted>(&effect.what)) {
    looks_.mark(now.steady_us);
    ports_.telemetry->command_started();
    broadcast(event::CommandStarted{std::move(started->record)}, now, wants_journal);
  } else if (auto* const finished = std::get_if<terminal::CommandFinished>(&effect.what)) {
    looks_.mark(now.steady_us);
    ports_.telemetry->command_finished();
    broadcast(event::CommandFinished{std::move(finished->record)}, now, wants_journal);
  } else if (auto* const text = std::get_if<terminal::TextWaitDone>(&effect.what)) {
    reply::Text answer;
    answer.slice = std::move(text->slice);
    answer.matched = text->matched;
    answer.reason = text->reason;
    answer_wait(text->wait, outcome_of(text->reason == WaitReason::timeout), std::move(answer));
  } else if (auto* const command = std::get_if<terminal::JournalWaitDone>(&effect.what)) {
    if (command->record) {
      answer_wait(command->wait, outcome_of(command->timed_out),
                  reply::Command{*command->record, command->timed_out});
    } else {
      answer_wait(command->wait, telemetry::WaitEnd::failed, reply::Error{command->record.error()});
    }
  } else if (auto* const run = std::get_if<terminal::RunDone>(&effect.what)) {
    if (run->error) {
      return answer_wait(run->wait, telemetry::WaitEnd::failed, reply::Error{*run->error});
    }
    answer_wait(
        run->wait, outcome_of(run->timed_out),
        reply::CommandOutput{std::move(run->record), run->timed_out, std::move(run->slice)});
  }
}

void TerminalCore::add_output(StreamOffset start, const SharedBytes& bytes, Moment now) {
  if (subscribers_.empty()) {
    coalescer_.discard();
    return;
  }
  std::vector<OutputBatch> batches;
  coalescer_.add(start, bytes, now.steady_us, batches);
  send_batches(batches);
}

void TerminalCore::flush(Moment now) {
  std::vector<OutputBatch> batches;
  coalescer_.flush(now.steady_us, batches);
  send_batches(batches);
}

void TerminalCore::send_batches(const std::vector<OutputBatch>& batches) {
  for (const OutputBatch& batch : batches) {
    for (Subscriber& subscriber : subscribers_.all()) {
      switch (subscribers_.offer(subscriber, output_cost(batch.bytes.size()))) {
        case Offer::send:
          sinks_.at(subscriber.id)->output(subscriber.id, batch);
          subscriber.next_offset = batch.end();
          break;
        case Offer::lagging:
          lagging_.push_back(subscriber.id);
          break;
        case Offer::skip:
          break;
      }
    }
  }
}

void TerminalCore::send_event(Subscriber& subscriber, const SharedResponse& event,
                              std::size_t cost) {
  switch (subscribers_.offer(subscriber, cost)) {
    case Offer::send:
      sinks_.at(subscriber.id)->event(subscriber.id, cost, event);
      break;
    case Offer::lagging:
      lagging_.push_back(subscriber.id);
      break;
    case Offer::skip:
      break;
  }
}

void TerminalCore::broadcast(protocol::Response event, Moment now,
                             bool (*wanted)(const Subscriber&)) {
  // Who hears of a change must find it in `list` already.
  if (info_dirty_) {
    publish_info();
  }
  if (subscribers_.empty()) {
    return;
  }
  flush(now);
  std::size_t const cost = response_cost(event);
  const auto shared = std::make_shared<const protocol::Response>(std::move(event));
  for (Subscriber& subscriber : subscribers_.all()) {
    if (wanted == nullptr || wanted(subscriber)) {
      send_event(subscriber, shared, cost);
    }
  }
}

void TerminalCore::broadcast_resized(Moment now) {
  if (info_dirty_) {
    publish_info();
  }
  if (subscribers_.empty()) {
    return;
  }
  flush(now);
  // Subscribers may have asked for different amounts of history.
  std::map<std::size_t, SharedResponse> events;
  terminal::Size const size = terminal_.size();
  for (Subscriber& subscriber : subscribers_.all()) {
    if (subscriber.lost_from) {
      continue;
    }
    std::size_t const rows =
        subscriber.spec.history_rows.value_or(config_.options.screen.checkpoint_rows);
    SharedResponse& event = events[rows];
    if (!event) {
      terminal::Checkpoint checkpoint = terminal_.screen().checkpoint(rows);
      event = std::make_shared<const protocol::Response>(
          protocol::event::Resized{size.cols, size.rows, subscribers_.generation(),
                                   std::move(checkpoint.bytes), checkpoint.reduced});
    }
    send_event(subscriber, event, response_cost(*event));
  }
}

void TerminalCore::announce_controller(Moment now) {
  info_dirty_ = true;
  broadcast(
      protocol::event::ControllerChanged{subscribers_.controller(), subscribers_.generation()},
      now);
}

void TerminalCore::resync(Subscriber& subscriber, Moment now) {
  flush(now);
  std::size_t const rows =
      subscriber.spec.history_rows.value_or(config_.options.screen.checkpoint_rows);
  terminal::Checkpoint checkpoint = terminal_.screen().checkpoint(rows);
  protocol::event::Resync event;
  event.lost_from = *subscriber.lost_from;
  event.lost_to = event.offset = terminal_.tail();
  ports_.telemetry->output_lost(event.lost_to - event.lost_from);
  event.checkpoint = std::move(checkpoint.bytes);
  event.reduced = checkpoint.reduced;
  event.terminal = info();
  event.generation = subscribers_.generation();
  subscriber.lost_from.reset();
  subscriber.next_offset = terminal_.tail();
  std::size_t const cost = response_cost(event);
  subscriber.outstanding += cost;
  sinks_.at(subscriber.id)
      ->event(subscriber.id, cost, std::make_shared<const protocol::Response>(std::move(event)));
}

void TerminalCore::drop(SubscriberId subscriber, protocol::EndReason reason) {
  const auto sink = sinks_.extract(subscriber);
  if (sink.empty()) {
    return;
  }
  const Subscriber* const known = subscribers_.find(subscriber);
  ports_.telemetry->subscription_ended(subscription_end_of(reason));
  sink.mapped()->ended(subscriber, reason, known != nullptr ? known->next_offset : 0);
  ports_.board->agent(subscriber, {});
}

void TerminalCore::end_subscription(SubscriberId subscriber, protocol::EndReason reason,
                                    Moment now) {
  flush(now);
  drop(subscriber, reason);
  if (subscribers_.detach(subscriber).controller_changed) {
    announce_controller(now);
  }
  info_dirty_ = true;
}

void TerminalCore::end_all(protocol::EndReason reason, Moment now) {
  flush(now);
  std::vector<SubscriberId> ids;
  for (const Subscriber& subscriber : subscribers_.all()) {
    ids.push_back(subscriber.id);
  }
  for (const SubscriberId id : ids) {
    drop(id, reason);
  }
  for (const SubscriberId id : ids) {
    (void)subscribers_.detach(id);
  }
}

void TerminalCore::acknowledge(SubscriberId subscriber, std::size_t bytes, Moment now) {
  if (subscribers_.acknowledge(subscriber, bytes)) {
    resync(*subscribers_.find(subscriber), now);
  }
  settle(now);
}

void TerminalCore::detach(SubscriberId subscriber, Moment now) {
  if (sinks_.count(subscriber) > 0) {
    end_subscription(subscriber, protocol::EndReason::cancelled, now);
  }
  settle(now);
}

void TerminalCore::on_foreground(const std::string& process, const std::string& cwd, Moment now) {
  std::optional<std::string> next;
  if (!process.empty()) {
    next = process;
  }
  if (exited_) {
    return;
  }
  if (!cwd.empty() && !child_ && proc_cwd_ != cwd) {
    proc_cwd_ = cwd;
    info_dirty_ = true;
  }
  if (next == foreground_) {
    return settle(now);
  }
  foreground_ = next;
  info_dirty_ = true;
  broadcast(protocol::event::ForegroundProcessChanged{foreground_}, now);
  settle(now);
}

/// What every entry ends with: lagging subscribers leave, credit is given back, news is published.
void TerminalCore::settle(Moment now) {
  while (!lagging_.empty()) {
    for (const SubscriberId id : std::exchange(lagging_, {})) {
      if (sinks_.count(id) > 0) {
        end_subscription(id, protocol::EndReason::lagging, now);
      }
    }
  }
  give_credit();
  if (info_dirty_) {
    publish_info();
  }
  answer_screen_reads(now);
  measure();
  measure_lag();
}

void TerminalCore::measure_lag() {
  std::size_t total = 0;
  std::size_t worst = 0;
  for (const Subscriber& subscriber : subscribers_.all()) {
    total += subscriber.outstanding;
    worst = std::max(worst, subscriber.outstanding);
  }
  if (total != measured_lag_) {
    measured_lag_ = total;
    ports_.board->lagging(total, worst);
  }
}

void TerminalCore::measure() {
  std::size_t const waits = terminal_.pending_waits() + exit_waits_.size();
  const StreamOffset unmeasured = terminal_.tail() - measured_tail_;
  if (waits == measured_waits_ && unmeasured < measure_step_bytes) {
    return;
  }
  if (unmeasured > 0 || measured_bytes_ == 0) {
    measured_bytes_ = terminal_.memory_bytes();
    measured_tail_ = terminal_.tail();
  }
  measured_waits_ = waits;
  ports_.board->measured(measured_bytes_, waits);
}

void TerminalCore::publish_info() {
  info_dirty_ = false;
  ports_.board->publish(info());
}

protocol::TerminalInfo TerminalCore::info() const {
  protocol::TerminalInfo info = config_.info;
  terminal::Size const size = terminal_.size();
  info.pid = pid_;
  info.title = terminal_.title();
  info.user_title = terminal_.user_title();
  info.foreground_process = foreground_;
  info.cols = size.cols;
  info.rows = size.rows;
  info.output_head = terminal_.head();
  info.output_tail = terminal_.tail();
  if (failure_) {
    info.lifecycle = protocol::Failed{*failure_};
  } else if (exited_) {
    info.lifecycle = protocol::Exited{child_ ? child_->shell_code() : std::nullopt};
  }
  if (child_ && child_exit_published_) {
    info.child_exit =
        protocol::ChildExit{child_->shell_code(), signal_name(child_->signal), holders_};
  }
  info.shell_cwd = terminal_.cwd();
  info.shell_cwd_source = terminal_.cwd_source();
  if (!info.shell_cwd && proc_cwd_) {
    info.shell_cwd = proc_cwd_;
    info.shell_cwd_source = CwdSource::proc;
  }
  info.recording = recorded() ? std::optional<std::string>{recording_->path} : std::nullopt;
  info.last_recording = last_recording_.path;
  info.recording_error = last_recording_.error;
  info.controller = subscribers_.controller();
  info.subscribers = static_cast<std::uint32_t>(subscribers_.all().size());
  return info;
}

}  // namespace troupe::actors
