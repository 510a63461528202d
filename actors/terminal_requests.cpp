// SPDX-License-Identifier: MIT

/// @file
/// The operations of a terminal, one member each: what they check, and what they answer.

#include <algorithm>
#include <utility>

#include "actors/decisions/response_cost.hpp"
#include "actors/terminal_core.hpp"

namespace troupe::actors {

namespace reply = protocol::reply;
namespace request = protocol::request;

namespace {

Error exited_error() {
  return {Code::exited, "the terminal's program has exited"};
}

bool is_input(const protocol::Request& r) {
  return std::holds_alternative<request::Write>(r) || std::holds_alternative<request::Input>(r) ||
         std::holds_alternative<request::Keys>(r) || std::holds_alternative<request::Paste>(r) ||
         std::holds_alternative<request::Run>(r);
}

pty::SignalTarget target_of(protocol::SignalTarget target) {
  switch (target) {
    case protocol::SignalTarget::session:
      return pty::SignalTarget::session;
    case protocol::SignalTarget::leader:
      return pty::SignalTarget::leader;
    case protocol::SignalTarget::foreground:
      break;
  }
  return pty::SignalTarget::foreground;
}

}  // namespace

struct TerminalCore::Visitor {
  TerminalCore& core;
  const ReplyTo& to;
  SubscriptionKeys keys;
  Moment now;

  void fail_span(Code code) const {
    if (core.input_span_) {
      core.input_span_->error = protocol::to_text(code);
    }
  }
  void finish(const Result<>& result) const {
    if (!result) {
      fail_span(result.error().code);
    }
    result ? to(reply::Ok{}) : to(reply::Error{result.error()});
  }
  void finish_input(const Result<>& result, std::size_t bytes, bool ack) const {
    if (result && ack) {
      if (core.input_is_over()) {
        reply::Error error{exited_error()};
        error.written = 0;
        fail_span(error.code.value_or(Code::exited));
        to(error);
      } else if (bytes == 0) {
        reply::Ok ok;
        ok.written = 0;
        to(ok);
      }
      return;  // answered when the program took it
    }
    finish(result);
  }

  void authorized_input(const std::optional<std::string>& attachment_id, std::string bytes,
                        bool ack, Origin origin) const {
    std::size_t const size = bytes.size();
    Result<> result = core.subscribers_.authorize(attachment_id);
    if (result) {
      result = core.write_input(std::move(bytes), to, ack, origin);
    }
    finish_input(result, size, ack);
  }

  void operator()(request::Write& r) const {
    authorized_input(r.attachment_id, std::move(r.data), r.ack, origin_of(r.password));
  }
  void operator()(request::Input& r) const {
    const Result<> taken = core.take_control(r.attachment_id, {r.cols, r.rows}, now);
    if (!taken) {
      return finish(taken);
    }
    std::size_t const bytes = r.data.size();
    finish_input(core.write_input(std::move(r.data), to, r.ack, origin_of(r.password)), bytes,
                 r.ack);
  }
  void operator()(request::Control& r) const {
    finish(core.take_control(r.attachment_id, {r.cols, r.rows}, now));
  }
  void operator()(request::Resize& r) const {
    Result<> allowed = core.check_size({r.cols, r.rows});
    if (allowed) {
      allowed = core.subscribers_.authorize(r.attachment_id);
    }
    if (allowed) {
      core.resize_to({r.cols, r.rows}, now);
    }
    finish(allowed);
  }
  void operator()(request::Keys& r) const {
    if (core.input_is_over()) {
      return finish(exited_error());
    }
    Result<std::string> bytes = core.terminal_.encode_keys(r.keys);
    if (!bytes) {
      return finish(bytes.error());
    }
    authorized_input(r.attachment_id, std::move(*bytes), r.ack, Origin::client);
  }
  void operator()(request::Paste& r) const {
    if (core.input_is_over()) {
      return finish(exited_error());
    }
    authorized_input(r.attachment_id, core.terminal_.encode_paste(r.text), r.ack, Origin::client);
  }

  void operator()(request::Snapshot& r) const { core.read_screen(to, r, now); }
  void operator()(request::ReadRows& r) const { core.read_screen(to, r, now); }
  void operator()(request::Replay& r) const {
    Result<terminal::ReplaySlice> slice = core.terminal_.replay(r.offset);
    if (!slice) {
      return finish(slice.error());
    }
    to(reply::Replay{r.offset, slice->available_offset, slice->end_offset, slice->truncated,
                     std::move(slice->bytes)});
  }

  void operator()(request::Subscribe& r) const {
    Result<terminal::ReplaySlice> slice = core.terminal_.replay(r.offset);
    if (!slice) {
      return finish(slice.error());
    }
    core.flush(now);
    SubscriberSpec spec{std::move(r.attachment_id),
                        r.role,
                        r.takeover ? Takeover::yes : Takeover::no,
                        r.journal,
                        r.child_events,
                        r.resync,
                        r.history_rows};
    Result<ControlChange> change =
        core.subscribers_.attach(keys.subscriber, std::move(spec), core.terminal_.tail());
    if (!change) {
      return finish(change.error());
    }
    if (change->replaced) {
      core.drop(*change->replaced, protocol::EndReason::replaced);
    }
    core.sinks_.emplace(keys.subscriber, to.session);
    core.info_dirty_ = true;
    attach_reply(r, *slice);
    if (r.ssh_auth_sock) {
      core.ports_.board->agent(keys.subscriber, std::move(*r.ssh_auth_sock));
    }
    if (change->controller_changed) {
      core.announce_controller(now);
    } else if (r.role == protocol::Role::controller) {
      announce_own_control();
    }
    if (keys.replaces != 0 && core.sinks_.count(keys.replaces) > 0) {
      core.end_subscription(keys.replaces, protocol::EndReason::replaced, now);
    }
  }
  void attach_reply(const request::Subscribe& r, terminal::ReplaySlice& slice) const {
    core.publish_info();
    reply::Attached attached;
    attached.terminal = core.info();
    attached.role = core.subscribers_.is_controller(keys.subscriber) ? protocol::Role::controller
                                                                     : protocol::Role::observer;
    attached.generation = core.subscribers_.generation();
    attached.requested_offset = r.offset;
    attached.available_offset = slice.available_offset;
    attached.end_offset = slice.end_offset;
    attached.truncated = slice.truncated;
    attached.replay = std::move(slice.bytes);
    core.subscribers_.find(keys.subscriber)->outstanding += response_cost(attached);
    to(std::move(attached));
  }
  /// The controller came back under its own name: only it needs to hear that it still controls.
  void announce_own_control() const {
    protocol::event::ControllerChanged const event{core.subscribers_.controller(),
                                                   core.subscribers_.generation()};
    core.send_event(*core.subscribers_.find(keys.subscriber),
                    std::make_shared<const protocol::Response>(event), response_cost(event));
  }

  void operator()(request::Rename& r) const {
    terminal::Effects effects;
    core.flush(now);
    if (r.title && r.title->empty()) {
      r.title.reset();
    }
    core.terminal_.rename(std::move(r.title), effects);
    core.info_dirty_ = true;
    core.apply_effects(effects, now);
    core.publish_info();
    core.ports_.board->changed();
    finish(success());
  }
  void operator()(request::Signal& r) const {
    // What holds the terminal when its leader is gone can still be meant by the other targets.
    const bool to_leader = r.target == protocol::SignalTarget::leader;
    if (core.exited_ || (core.child_ && (core.stream_over_ || to_leader))) {
      return finish(exited_error());
    }
    std::uint64_t const token = ++core.last_signal_;
    core.signals_.emplace(token, to);
    core.ports_.channel->signal(r.signal, target_of(r.target), token);
  }
  void operator()(request::Restart&) const {
    if (!core.exited_ || core.restarting_) {
      return finish(Error{Code::busy, "the terminal's program is still running"});
    }
    if (core.config_.had_secrets) {
      return finish(
          Error{Code::unsupported, "the password of this terminal was not kept: create it anew"});
    }
    Launch launch = core.config_.launch;
    terminal::Size const size = core.terminal_.size();
    set_size(launch, {size.cols, size.rows});
    std::string nonce = core.ports_.fresh_nonce();
    if (auto* const local = std::get_if<pty::LaunchSpec>(&launch);
        local != nullptr && core.config_.options.journal) {
      local->extra["TROUPE_NONCE"] = nonce;
    }
    core.restarting_ = Restarting{to, std::move(nonce)};
    core.channel_open_ = true;
    core.ports_.channel->reopen(std::move(launch));
  }
  void operator()(request::WaitExit& r) const {
    core.exit_waits_.add(to, now.steady_us + r.timeout_ms * 1000);
    if (core.child_exit_published_) {
      core.answer_exit_waits();
    }
  }

  void operator()(request::Journal& r) const {
    Result<terminal::JournalListing> listing =
        core.terminal_.journal(r.from_index, r.limit, r.tail);
    if (!listing) {
      return finish(listing.error());
    }
    to(reply::Journal{listing->oldest_index, listing->next_index, std::move(listing->records),
                      listing->truncated});
  }
  void operator()(request::Output& r) const {
    Result<terminal::CommandOutput> output = core.terminal_.output(r.index, r.cursor, r.max_bytes);
    if (!output) {
      return finish(output.error());
    }
    reply::Text text;
    text.slice = std::move(output->slice);
    text.record = std::move(output->record);
    to(std::move(text));
  }
  void operator()(request::JournalWait& r) const {
    terminal::Effects effects;
    core.remember_wait(
        {to, telemetry::WaitKind::command},
        core.terminal_.arm_journal_wait(r.index, r.timeout_ms, terminal_now(now), effects), effects,
        now);
  }
  void operator()(request::Run& r) const {
    if (core.input_is_over()) {
      return finish(exited_error());
    }
    if (Result<> allowed = core.subscribers_.authorize(r.attachment_id); !allowed) {
      return finish(allowed);
    }
    terminal::Effects effects;
    const Result<terminal::WaitId> wait =
        core.terminal_.arm_run(r.text, r.timeout_ms, r.max_bytes, terminal_now(now), effects);
    if (wait && core.prompt_is_due(r.text)) {
      core.held_run_ = HeldRun{*wait, std::move(r.text), now.steady_us + prompt_patience_us};
    } else if (wait) {
      if (const Result<> typed = core.type_run(r.text); !typed) {
        core.terminal_.cancel_wait(*wait);
        return finish(typed);
      }
    }
    if (!wait) {
      fail_span(wait.error().code);
    }
    core.remember_wait({to, telemetry::WaitKind::run}, wait, effects, now);
  }
  void operator()(request::Since& r) const {
    Result<TextSlice> slice = core.terminal_.since(r.cursor, r.max_bytes);
    if (!slice) {
      return finish(slice.error());
    }
    reply::Text text;
    text.slice = std::move(*slice);
    to(std::move(text));
  }
  void operator()(request::Wait& r) const {
    terminal::Effects effects;
    terminal::TextWaitSpec const spec{r.cursor, std::move(r.needle), std::move(r.regex), r.idle_ms,
                                      r.exit,   r.timeout_ms,        r.max_bytes};
    if (spec.regex) {
      core.slice_.forget();
    }
    core.remember_wait({to, telemetry::WaitKind::text},
                       core.terminal_.arm_text_wait(spec, terminal_now(now), effects), effects,
                       now);
  }
  void operator()(request::History& r) const {
    Result<terminal::HistorySlice> slice = core.terminal_.history(r.cursor, r.rows, r.format);
    if (!slice) {
      return finish(slice.error());
    }
    to(reply::History{std::move(slice->lines), slice->start, slice->next, slice->truncated,
                      slice->evicted});
  }
  void operator()(request::Search& r) const {
    Result<terminal::SearchSlice> slice =
        core.terminal_.search({std::move(r.pattern), r.regex, r.ignore_case, r.limit, r.cursor});
    if (!slice) {
      return finish(slice.error());
    }
    reply::Matches matches;
    for (terminal::SearchMatch& match : slice->matches) {
      matches.matches.push_back({match.start, match.end, std::move(match.line)});
    }
    matches.next = slice->next;
    matches.truncated = slice->truncated;
    matches.evicted = slice->evicted;
    to(std::move(matches));
  }
  void operator()(request::Record& r) const { core.record(to, r, now); }
  /// Operations of the daemon or the connection never come here.
  template <class Other>
  void operator()(Other&) const {
    finish(Error{Code::unsupported, "this terminal does not know the operation"});
  }
};

void TerminalCore::request(const ReplyTo& to, protocol::Request request, SubscriptionKeys keys,
                           Moment now) {
  if (terminating_) {
    to(reply::Error{Error{Code::not_found,
                          "terminal " + std::to_string(config_.info.id.value) + " not found"}});
    return;
  }
  std::size_t const queued = queued_input_;
  if (ports_.telemetry->wants_spans() && is_input(request)) {
    input_span_ = InputSpan{now, {}};
  }
  std::visit(Visitor{*this, to, keys, now}, request);
  if (const auto span = std::exchange(input_span_, std::nullopt)) {
    report_input(span->since, now, span->error);
  }
  if (queued_input_ > queued) {
    looks_.activity(now.steady_us);
  }
  settle(now);
}

void TerminalCore::on_signalled(std::uint64_t token, const Result<>& result) {
  if (const auto node = signals_.extract(token); !node.empty()) {
    result ? node.mapped()(reply::Ok{}) : node.mapped()(reply::Error{result.error()});
  }
}

}  // namespace troupe::actors
