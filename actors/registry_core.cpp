// SPDX-License-Identifier: MIT
#include "actors/registry_core.hpp"

#include <algorithm>
#include <utility>

#include "actors/prepare.hpp"
#include "actors/telemetry_words.hpp"
#include "base/random.hpp"
#include "base/utf8.hpp"

namespace troupe::actors {

namespace reply = protocol::reply;
namespace request = protocol::request;

namespace {

Error stopping_error() {
  return {Code::cancelled, "the daemon is stopping"};
}

constexpr std::size_t nonce_bytes = 16;
/// Of a failure's text in the ledger.
constexpr std::size_t max_cause_bytes = 256;

}  // namespace

RegistryCore::RegistryCore(Settings settings, Ownership ownership, RegistryPort& port,
                           telemetry::Port& telemetry)
    : settings_(std::move(settings)),
      ownership_(std::move(ownership)),
      port_(port),
      telemetry_(telemetry),
      book_(settings_.retention) {}

void RegistryCore::request(const ReplyTo& to, ConnectionId connection, FromOwner from_owner,
                           protocol::Request request, Moment now) {
  if (from_owner == FromOwner::yes && !ownership_.is_owner(connection)) {
    to(reply::Error{Error{Code::bad_request, "owner connection has been superseded"}});
  } else if (auto* const create = std::get_if<request::Create>(&request)) {
    this->create(to, std::move(*create), now);
  } else if (const auto* const end = std::get_if<request::Terminate>(&request)) {
    terminate(to, *end, now);
  } else if (const auto* const claim = std::get_if<request::Own>(&request)) {
    own(to, connection, *claim, now);
  } else if (std::holds_alternative<request::PrepareHandoff>(request)) {
    const Result<HandoffTicket> ticket =
        ownership_.prepare(connection, now.steady_ms(), now.wall_ms, random_hex(nonce_bytes));
    ticket ? to(reply::Handoff{ticket->ticket, ticket->expires_at_ms})
           : to(reply::Error{ticket.error()});
  } else if (std::holds_alternative<request::Shutdown>(request)) {
    to(reply::Ok{});
    stop(now);
  } else if (std::holds_alternative<request::Ledger>(request)) {
    to(reply::Ledger{{book_.ledger().begin(), book_.ledger().end()}});
  } else if (const auto* const wait = std::get_if<request::TerminalsWait>(&request)) {
    stopping_ ? to(reply::Error{stopping_error()}) : list_watch_.wait(to, *wait, now.steady_ms());
  } else {
    to(reply::Error{Error{Code::unsupported, "this daemon does not know the operation"}});
  }
}

void RegistryCore::own(const ReplyTo& to, ConnectionId connection, const request::Own& own,
                       Moment now) {
  const Result<Claim> claim =
      ownership_.claim(connection, own.instance_id, own.ticket, now.steady_ms());
  if (!claim) {
    to(reply::Error{claim.error()});
    return;
  }
  if (claim->superseded) {
    port_.supersede(*claim->superseded);
  }
  to(reply::Owned{});
}

void RegistryCore::owner_lost(ConnectionId connection, Moment now) {
  if (ownership_.lost(connection, now.steady_ms()) == Verdict::stop) {
    stop(now);
  }
}

void RegistryCore::tick(Moment now) {
  if (ownership_.expire(now.steady_ms()) == Verdict::stop) {
    stop(now);
  }
  list_watch_.expire(now.steady_ms());
  if (freed_.take_due(now.steady_ms())) {
    port_.give_back_memory();
  }
}

std::optional<std::int64_t> RegistryCore::deadline_ms() const {
  std::optional<std::int64_t> next;
  for (const auto due :
       {ownership_.deadline_ms(), list_watch_.deadline_ms(), freed_.deadline_ms()}) {
    if (due) {
      next = std::min(next.value_or(*due), *due);
    }
  }
  return next;
}

// -- creation ------------------------------------------------------------------------------------

TerminalId RegistryCore::fresh_id() const {
  TerminalId id;
  do {
    id = random_terminal_id();
  } while (book_.contains(id) || ending_.count(id) > 0);
  return id;
}

void RegistryCore::create(const ReplyTo& to, request::Create create, Moment now) {
  if (stopping_) {
    to(reply::Error{stopping_error()});
    return;
  }
  if (book_.ids().size() + launches_.size() >= settings_.max_terminals) {
    to(reply::Error{Error{Code::limit, "too many terminals"}});
    return;
  }
  Result<Prepared> prepared = prepare(std::move(create), settings_, fresh_id(), now.wall_ms);
  if (!prepared) {
    to(reply::Error{prepared.error()});
    return;
  }
  std::uint64_t const channel = port_.open(std::move(prepared->launch));
  launches_.emplace(channel, Pending{to, std::move(prepared->config), now});
}

void RegistryCore::on_opened(std::uint64_t channel, const Result<std::optional<int>>& pid,
                             Moment now) {
  auto node = launches_.extract(channel);
  if (node.empty()) {
    return;
  }
  Pending& launch = node.mapped();
  report_launch(launch, pid, now);
  if (!pid) {
    launch.to(reply::Error{pid.error()});
    finish_if_empty();
    return;
  }
  launch.config.info.pid = *pid;
  reply::Created created{launch.config.info};
  book_.add(created.terminal.id);
  port_.start(channel, std::move(launch.config));
  list_watch_.changed();
  if (stopping_) {
    // It runs already, and only the end of a terminal waits until its program is dead.
    begin_end(created.terminal.id, stop_order(), now);
    launch.to(reply::Error{stopping_error()});
  } else {
    launch.to(std::move(created));
  }
}

// -- the end of terminals ------------------------------------------------------------------------

void RegistryCore::terminate(const ReplyTo& to, const request::Terminate& terminate, Moment now) {
  if (!book_.contains(terminate.id)) {
    to(reply::Error{Error{Code::not_found, not_found_text(terminate.id, book_.ledger())}});
    return;
  }
  const auto info = port_.info(terminate.id);
  if (info && info->is_protected && !terminate.force) {
    to(reply::Error{Error{Code::busy, "the terminal is protected; terminate it with force"}});
    return;
  }
  begin_end(terminate.id, {"terminated"}, now);
  ending_[terminate.id].waiting.push_back(to);
}

RegistryCore::EndOrder RegistryCore::stop_order() {
  return {"the daemon stopped", protocol::EndReason::shutdown, telemetry::CloseCause::shutdown};
}

void RegistryCore::begin_end(TerminalId id, EndOrder order, Moment now) {
  book_.remove(id);
  port_.unlist(id);
  list_watch_.changed();
  Ending& ending = ending_[id];
  ending.reason = std::move(order.reason);
  ending.cause = order.cause;
  ending.since = now;
  port_.end(id, order.end);
}

void RegistryCore::on_exited(TerminalId id, std::size_t retained_bytes, Moment now) {
  book_.exited(id, retained_bytes);
  on_changed(id);
  for (const TerminalId surplus : book_.surplus()) {
    begin_end(surplus,
              {"removed to make room for terminals that ended later",
               protocol::EndReason::terminated, telemetry::CloseCause::evicted},
              now);
  }
}

void RegistryCore::on_restarted(TerminalId id) {
  book_.restarted(id);
  on_changed(id);
}

void RegistryCore::on_changed(TerminalId id) {
  if (book_.contains(id)) {  // else it has left the list already
    list_watch_.changed();
  }
}

void RegistryCore::on_gone(TerminalId id, const std::vector<std::int32_t>& survivors, Moment now) {
  auto node = ending_.extract(id);
  if (node.empty()) {
    return;
  }
  report_close(id, node.mapped(), now);
  remember(id, node.mapped().reason, now);
  port_.dismiss(id);
  for (const ReplyTo& to : node.mapped().waiting) {
    reply::Ok ok;
    ok.survivors = survivors;
    to(ok);
  }
  finish_if_empty();
}

void RegistryCore::on_lost(TerminalId id, Moment now) {
  if (book_.contains(id)) {
    book_.remove(id);
    port_.unlist(id);
    list_watch_.changed();
    Ending& ending = ending_[id];
    ending.reason = "the terminal failed";
    ending.since = now;
  }
  if (const auto at = ending_.find(id); at != ending_.end()) {
    at->second.cause = telemetry::CloseCause::failed;
  }
  port_.announce_failure(id);
  on_gone(id, {}, now);
}

void RegistryCore::remember(TerminalId id, const std::string& reason, Moment now) {
  const auto info = port_.info(id);
  if (!info) {
    return;
  }
  protocol::LedgerEntry entry;
  entry.id = id;
  entry.title = info->title;
  entry.command = info->command;
  entry.kind = info->kind;
  entry.reason = reason;
  if (info->child_exit) {
    entry.exit_code = info->child_exit->exit_code;
    entry.signal = info->child_exit->signal;
  } else if (const auto* const exited = std::get_if<protocol::Exited>(&info->lifecycle)) {
    entry.exit_code = exited->exit_code;
  } else if (const auto* const failed = std::get_if<protocol::Failed>(&info->lifecycle)) {
    entry.reason += "; it had failed: " + std::string{cut_utf8(failed->message, max_cause_bytes)};
  }
  entry.ended_ms = now.wall_ms;
  book_.remember(std::move(entry));
  port_.publish_ledger(book_.ledger());
}

void RegistryCore::report_launch(const Pending& launch, const Result<std::optional<int>>& pid,
                                 Moment now) {
  const protocol::TerminalInfo& info = launch.config.info;
  const telemetry::Connector connector = connector_of(info.kind);
  const bool started = pid && !stopping_;
  pid ? telemetry_.launched(connector) : telemetry_.launch_failed(connector);
  if (telemetry_.wants_spans()) {
    const Code code = pid ? Code::cancelled : pid.error().code;
    telemetry_.span(span_between({telemetry::SpanName::launch, connector, info.id}, launch.since,
                                 now, started ? std::string_view{} : protocol::to_text(code)));
  }
}

void RegistryCore::report_close(TerminalId id, const Ending& ending, Moment now) {
  const auto info = port_.info(id);
  if (!info) {
    return;
  }
  const telemetry::Connector connector = connector_of(info->kind);
  telemetry_.closed(connector, ending.cause);
  if (telemetry_.wants_spans()) {
    const bool failed = ending.cause == telemetry::CloseCause::failed;
    telemetry_.span(span_between({telemetry::SpanName::close, connector, id}, ending.since, now,
                                 failed ? protocol::to_text(Code::internal) : std::string_view{}));
  }
}

void RegistryCore::stop(Moment now) {
  if (std::exchange(stopping_, true)) {
    return;
  }
  ownership_.stop();
  port_.stopping();
  list_watch_.give_up(stopping_error());
  give_up_remote_launches();
  const std::vector<TerminalId> ids = book_.ids();
  for (const TerminalId id : ids) {
    begin_end(id, stop_order(), now);
  }
  finish_if_empty();
}

/// A host that does not answer must not delay the end.
void RegistryCore::give_up_remote_launches() {
  for (auto at = launches_.begin(); at != launches_.end();) {
    if (!is_remote(at->second.config.launch)) {
      ++at;
      continue;
    }
    port_.forget(at->first);
    telemetry_.launch_failed(connector_of(at->second.config.info.kind));
    at->second.to(reply::Error{stopping_error()});
    at = launches_.erase(at);
  }
}

void RegistryCore::finish_if_empty() {
  if (stopping_ && ending_.empty() && launches_.empty() && !std::exchange(stopped_, true)) {
    port_.stop_service();
  }
}

}  // namespace troupe::actors
