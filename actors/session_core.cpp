// SPDX-License-Identifier: MIT
#include "actors/session_core.hpp"

#include <algorithm>
#include <utility>

#include "actors/decisions/response_cost.hpp"
#include "protocol/frame_encoder.hpp"
#include "protocol/version.hpp"

namespace troupe::actors {

namespace reply = protocol::reply;
namespace request = protocol::request;
using protocol::Request;
using protocol::RequestId;
using protocol::Response;

namespace {

// A subscription's window is given back in parts of this size: a message for each key press would
// cost more than it tells.
constexpr std::size_t acknowledge_bytes = 32U * 1024;

/// Compares without telling by its time where the texts differ.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

template <class... Kinds>
bool is_any(const Request& r) {
  return (std::holds_alternative<Kinds>(r) || ...);
}

bool is_protocol7(const Request& r) {
  using namespace request;
  return is_any<Ping, Own, PrepareHandoff, Create, List, Write, Resize, Control, Input, Snapshot,
                ReadRows, Replay, Subscribe, Terminate, Rename, Shutdown>(r);
}

RequestKind kind_of(const Request& r) {
  using namespace request;
  if (is_any<Subscribe>(r)) {
    return RequestKind::subscription;
  }
  if (is_any<Cancel>(r)) {
    return RequestKind::cancel;
  }
  return is_any<JournalWait, Run, Wait, WaitExit, TerminalsWait>(r) ? RequestKind::wait
                                                                    : RequestKind::plain;
}

/// The input bytes of a request that is answered only when the program took them.
std::size_t acknowledged_input(const Request& r) {
  if (const auto* const write = std::get_if<request::Write>(&r)) {
    return write->ack ? write->data.size() + 1 : 0;
  }
  if (const auto* const input = std::get_if<request::Input>(&r)) {
    return input->ack ? input->data.size() + 1 : 0;
  }
  if (const auto* const paste = std::get_if<request::Paste>(&r)) {
    return paste->ack ? paste->text.size() + 1 : 0;
  }
  const auto* const keys = std::get_if<request::Keys>(&r);
  return keys != nullptr && keys->ack ? 1 : 0;
}

}  // namespace

SessionCore::SessionCore(const ServiceIdentity& identity, ConnectionPort& connection,
                         ServicePort& service)
    : identity_(identity), connection_(connection), service_(service) {}

// -- what the client sends -----------------------------------------------------------------------

void SessionCore::on_frame(std::string payload) {
  if (over_) {
    return;
  }
  if (asked_ && !owner_) {
    // A stream's client sends nothing more; any other second request is never answered.
    subscriptions_.empty() ? connection_.consumed(payload.size()) : close();
    return;
  }
  protocol::Incoming incoming = protocol::decode_request(payload);
  if (superseded_) {
    refuse(incoming, {Error{Code::bad_request, "owner connection has been superseded"},
                      protocol::AfterRefusal::close, incoming.request_id.has_value()});
    return;
  }
  if (std::holds_alternative<protocol::Drop>(incoming.outcome)) {
    close();
    return;
  }
  if (!authenticate(incoming) || !settle_manners(incoming)) {
    if (!over_) {
      connection_.consumed(payload.size());
    }
    return;
  }
  if (const auto* const refused = std::get_if<protocol::Refused>(&incoming.outcome)) {
    refuse(incoming, *refused);
    if (!over_) {
      connection_.consumed(payload.size());
    }
    return;
  }
  execute(incoming.request_id, std::move(std::get<Request>(incoming.outcome)), payload.size());
}

bool SessionCore::authenticate(const protocol::Incoming& incoming) {
  const bool right =
      incoming.token ? same_secret(*incoming.token, identity_.token) : authenticated_;
  if (right) {
    authenticated_ = true;
    return true;
  }
  if (const auto* const refused = std::get_if<protocol::Refused>(&incoming.outcome);
      refused != nullptr && incoming.token_malformed) {
    send_reply(incoming.request_id, reply::Error{refused->error});
  } else {
    send_reply(incoming.request_id, protocol::authentication_failed());
  }
  if (!owner_) {
    finish();
  }
  return false;
}

bool SessionCore::settle_manners(const protocol::Incoming& incoming) {
  const Manners manners = incoming.request_id ? Manners::multiplexed : Manners::single;
  if (manners_ == Manners::undecided) {
    manners_ = manners;
  }
  if (manners_ == Manners::multiplexed && manners == Manners::single) {
    if (const auto* const refused = std::get_if<protocol::Refused>(&incoming.outcome);
        refused != nullptr && refused->after == protocol::AfterRefusal::close) {
      send_reply({}, reply::Error{refused->error});
    } else {
      send_reply({}, reply::Error{Error{Code::bad_request, "the envelope has no request_id"}});
    }
    finish();
    return false;
  }
  return true;
}

void SessionCore::refuse(const protocol::Incoming& incoming, const protocol::Refused& refused) {
  reply::Error error{refused.error};
  if (!refused.with_code) {
    error.code.reset();
  }
  send_reply(incoming.request_id, error);
  if (refused.after == protocol::AfterRefusal::close || (manners_ == Manners::single && !owner_)) {
    finish();
  }
}

void SessionCore::execute(const std::optional<RequestId>& id, Request request, std::size_t bytes) {
  if (owner_with_old_manners() && !is_any<request::PrepareHandoff, request::Shutdown>(request)) {
    reply::Error error{
        Error{Code::bad_request, "owner connection only accepts prepare_handoff or shutdown"}};
    if (!id && is_protocol7(request)) {
      error.code.reset();
    }
    send_reply(id, error);
    connection_.consumed(bytes);
    return;
  }
  PendingRequest pending;
  pending.id = id;
  std::size_t const ack = acknowledged_input(request);
  pending.kind = ack > 0 ? RequestKind::wait : kind_of(request);
  pending.terminal = protocol::terminal_of(request);
  pending.errors_with_code = id || !is_protocol7(request);
  pending.unconsumed_bytes = bytes;
  const RequestKey key = service_.fresh_key();
  Result<> accepted =
      ack_bytes_ + ack > ack_limit_bytes && ack_bytes_ > 0
          ? Result<>{Error{Code::limit, "too much unacknowledged input on this connection"}}
          : requests_.add(key, pending);
  if (!accepted) {
    reply::Error error{accepted.error()};
    send_reply(id, error);
    connection_.consumed(bytes);
    return end_single();
  }
  asked_ = manners_ == Manners::single;
  if (ack > 0) {
    acks_.emplace(key, ack);
    ack_bytes_ += ack;
  }
  dispatch(key, std::move(request));
}

void SessionCore::dispatch(RequestKey key, Request request) {
  if (turnovers_.hold(key, request)) {
    return;  // with its read credit, which bounds what is held
  }
  if (requests_.find(key)->kind != RequestKind::plain) {
    connection_.consumed(requests_.take_credit(key));
  }
  if (std::holds_alternative<request::Ping>(request)) {
    on_reply(key, reply::Pong{identity_.instance_id, identity_.pid, protocol::protocol_version,
                              identity_.features});
  } else if (std::holds_alternative<request::List>(request)) {
    service_.list(key);
  } else if (std::holds_alternative<request::Status>(request)) {
    on_reply(key, status());
  } else if (const auto* const target = std::get_if<request::Cancel>(&request)) {
    cancel(key, target->target);
  } else if (const auto id = protocol::terminal_of(request);
             id && !std::holds_alternative<request::Terminate>(request)) {
    to_terminal(key, *id, std::move(request));
  } else if (std::holds_alternative<request::Own>(request) && manners_ == Manners::multiplexed &&
             requests_.size() > 1) {
    on_reply(key, reply::Error{
                      Error{Code::bad_request, "own must be the first request of its connection"}});
  } else {
    service_.to_registry(key, owner_ ? OwnerManners::yes : OwnerManners::no, std::move(request));
  }
}

reply::Status SessionCore::status() {
  reply::Status status = service_.status();
  status.instance_id = identity_.instance_id;
  status.pid = identity_.pid;
  status.version = protocol::program_version;
  status.started_ms = identity_.started_ms;
  status.standalone = identity_.standalone;
  return status;
}

void SessionCore::to_terminal(RequestKey key, TerminalId id, Request request) {
  SubscriberId subscriber = 0;
  SubscriberId replaces = 0;
  if (std::holds_alternative<request::Subscribe>(request)) {
    subscriber = key;
    for (const auto& [older, subscription] : subscriptions_) {
      if (subscription.terminal == id) {
        replaces = std::max(replaces, older);
      }
    }
    subscriptions_.emplace(subscriber, Subscription{key, id, 0, 0});
  }
  if (!service_.to_terminal(id, key, subscriber, replaces, std::move(request))) {
    on_reply(key, reply::Error{Error{Code::not_found, service_.not_found_text(id)}});
  }
}

void SessionCore::cancel(RequestKey key, const RequestId& target) {
  const auto victim = requests_.cancellable(target);
  if (!victim) {
    on_reply(key, reply::Error{Error{Code::not_found, "no such request is in flight"}});
    return;
  }
  const PendingRequest* const pending = requests_.find(*victim);
  if (pending->kind == RequestKind::wait) {
    service_.cancel(pending->terminal, *victim);
    on_reply(*victim, reply::Error{Error{Code::cancelled, "the request was cancelled"}});
  } else if (const auto at = subscriptions_.find(*victim); at != subscriptions_.end()) {
    service_.detach(at->second.terminal, *victim);
    on_ended(*victim, protocol::EndReason::cancelled, at->second.next_offset);
  } else {
    on_reply(*victim, reply::Error{Error{Code::cancelled, "the request was cancelled"}});
  }
  on_reply(key, reply::Ok{});
}

// -- what the service answers --------------------------------------------------------------------

void SessionCore::on_reply(RequestKey key, Response response) {
  const PendingRequest* const found = requests_.find(key);
  if (over_ || found == nullptr) {
    return;
  }
  if (const auto* const attached = std::get_if<reply::Attached>(&response)) {
    const auto at = subscriptions_.find(key);
    if (at != subscriptions_.end()) {
      at->second.next_offset = attached->end_offset;
      if (manners_ == Manners::single) {
        connection_.expect_silence();
      }
      send_in_lane(key, found->id, response, response_cost(response));
    }
    return;
  }
  const PendingRequest pending = *requests_.take(key);
  if (const auto ack = acks_.extract(key); !ack.empty()) {
    ack_bytes_ -= ack.mapped();
  }
  connection_.consumed(pending.unconsumed_bytes);
  if (auto* const error = std::get_if<reply::Error>(&response)) {
    if (pending.kind == RequestKind::subscription) {
      subscriptions_.erase(key);
      if (!pending.id) {
        return close();  // protocol 7: a refused subscription is dropped
      }
    }
    if (!pending.errors_with_code) {
      error->code.reset();
    }
  }
  owner_ = owner_ || std::holds_alternative<reply::Owned>(response);
  send_reply(pending.id, response);
  end_single();
  if (pending.terminal) {
    dispatch_held(*pending.terminal, key);
  }
}

void SessionCore::dispatch_held(TerminalId terminal, RequestKey answered) {
  for (auto& [key, request] : turnovers_.answered(terminal, answered)) {
    if (!over_ && requests_.find(key) != nullptr) {  // else it was cancelled meanwhile
      dispatch(key, std::move(request));
    }
  }
}

void SessionCore::on_output(SubscriberId subscriber, const OutputBatch& batch) {
  const auto at = subscriptions_.find(subscriber);
  if (over_ || at == subscriptions_.end()) {
    return;
  }
  at->second.next_offset = batch.end();
  std::size_t const size = batch.bytes.size();
  connection_.send(subscriber,
                   {manners_ == Manners::multiplexed
                        ? protocol::mux_output_header(at->second.terminal, batch.start, size)
                        : protocol::output_header(batch.start, size),
                    batch.bytes, output_cost(size)});
}

void SessionCore::on_event(SubscriberId subscriber, std::size_t cost, const Response& event) {
  const auto at = subscriptions_.find(subscriber);
  if (over_ || at == subscriptions_.end()) {
    return;
  }
  if (const auto* const resync = std::get_if<protocol::event::Resync>(&event)) {
    at->second.next_offset = resync->offset;
  }
  send_in_lane(subscriber, requests_.find(at->second.key)->id, event, cost);
}

void SessionCore::on_ended(SubscriberId subscriber, protocol::EndReason reason,
                           StreamOffset offset) {
  const auto at = subscriptions_.find(subscriber);
  if (over_ || at == subscriptions_.end()) {
    return;
  }
  const std::optional<PendingRequest> pending = requests_.take(at->second.key);
  const StreamOffset last = std::max(offset, at->second.next_offset);
  subscriptions_.erase(at);
  if (pending && pending->id) {
    send_in_lane(subscriber, pending->id, protocol::event::Ended{reason, last}, 0);
  } else {
    finish();
  }
}

void SessionCore::on_written(const std::vector<transport::LaneCredit>& credits) {
  for (const transport::LaneCredit& credit : credits) {
    const auto at = subscriptions_.find(credit.lane);
    if (at == subscriptions_.end()) {
      continue;
    }
    Subscription& subscription = at->second;
    subscription.unacknowledged += credit.bytes;
    if (subscription.unacknowledged >= acknowledge_bytes) {
      service_.acknowledge(subscription.terminal, credit.lane,
                           std::exchange(subscription.unacknowledged, 0));
    }
  }
}

void SessionCore::on_terminal_lost(TerminalId id) {
  for (const RequestKey key : requests_.keys()) {
    const PendingRequest* const pending = requests_.find(key);
    if (pending == nullptr || pending->terminal != id) {
      continue;
    }
    if (const auto at = subscriptions_.find(key); at != subscriptions_.end()) {
      on_ended(key, protocol::EndReason::terminated, at->second.next_offset);
    } else {
      on_reply(key, reply::Error{Error{Code::internal, "the terminal failed"}});
    }
  }
}

// -- sending -------------------------------------------------------------------------------------

void SessionCore::send_reply(const std::optional<RequestId>& id, const Response& response) {
  SharedBytes payload{protocol::encode_response(response, id)};
  std::size_t const size = payload.size();
  connection_.send(transport::reply_lane, {protocol::control_header(size), std::move(payload), 0});
}

void SessionCore::send_in_lane(SubscriberId subscriber, const std::optional<RequestId>& id,
                               const Response& response, std::size_t credit) {
  SharedBytes payload{protocol::encode_response(response, id)};
  std::size_t const size = payload.size();
  connection_.send(subscriber, {protocol::control_header(size), std::move(payload), credit});
}

// -- the end -------------------------------------------------------------------------------------

void SessionCore::on_end(transport::StreamEnd end) {
  if (over_) {
    return;
  }
  // A half-closed owner is a lost owner, a half-closed stream is left; others wait for answers.
  const bool may_still_read = end == transport::StreamEnd::half_closed && !owner_ &&
                              requests_.size() > 0 &&
                              (manners_ == Manners::multiplexed || subscriptions_.empty());
  if (!may_still_read) {
    close();
  }
}

void SessionCore::end_single() {
  if (manners_ == Manners::single && !owner_) {
    finish();
  }
}

void SessionCore::finish() {
  if (!over_) {
    leave();
    connection_.finish();
  }
}

void SessionCore::close() {
  if (!over_) {
    leave();
    connection_.close();
  }
}

void SessionCore::leave() {
  over_ = true;
  for (const auto& [subscriber, subscription] : subscriptions_) {
    service_.detach(subscription.terminal, subscriber);
  }
  for (const RequestKey key : requests_.keys()) {
    const PendingRequest* const pending = requests_.find(key);
    if (pending->kind == RequestKind::wait) {
      service_.cancel(pending->terminal, key);
    }
  }
  if (owner_) {
    service_.owner_lost();
  }
}

}  // namespace troupe::actors
