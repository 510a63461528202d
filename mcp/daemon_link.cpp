// SPDX-License-Identifier: MIT
#include "mcp/daemon_link.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "client/daemon_start.hpp"
#include "protocol/features.hpp"

namespace troupe::mcp {
namespace {

/// Longer than a daemon ever needs that is not stuck; one that connects to a host first may.
constexpr std::chrono::milliseconds patience{30'000};
constexpr std::chrono::milliseconds patience_with_create{90'000};
/// How long the daemon may have nothing to tell of its list before it is asked again.
constexpr std::chrono::milliseconds list_watch_time = std::chrono::hours{1};

std::chrono::milliseconds answer_time(const protocol::Request& request) {
  return std::visit(
      [](const auto& asked) {
        using Asked = std::decay_t<decltype(asked)>;
        if constexpr (std::is_same_v<Asked, protocol::request::Create>) {
          return patience_with_create;
        } else if constexpr (requires { asked.timeout_ms; }) {
          return std::chrono::milliseconds{asked.timeout_ms} + patience;
        } else {
          return patience;
        }
      },
      request);
}

bool only_waits(const protocol::Request& request) {
  namespace r = protocol::request;
  return std::holds_alternative<r::Wait>(request) || std::holds_alternative<r::WaitExit>(request) ||
         std::holds_alternative<r::JournalWait>(request);
}

}  // namespace

Result<> DaemonLink::connect() {
  if (connection_) {
    return success();
  }
  auto client = client::find_or_start(address_);
  if (!client) {
    return client.error();
  }
  auto connection = client->connect();
  if (!connection) {
    return connection.error();
  }
  if (connection->mode() != client::Mode::multiplexed) {
    return Error{Code::unsupported,
                 "this daemon takes one request a connection; it is not troupe's"};
  }
  client_ = std::move(*client);
  connection_ = std::move(*connection);
  if (terminals_changed_ && connection_->has(protocol::feature::terminals_wait)) {
    // Before a list can be asked for: what changes after any list is told.
    const auto present = client_->ask<protocol::reply::TerminalsChanged>(
        protocol::request::TerminalsWait{std::nullopt, 0});
    if (present) {
      watch_list(present->revision);
    }
  }
  return success();
}

/// Keeps one wait under way. However much changes meanwhile, it is one answer.
void DaemonLink::watch_list(std::uint64_t revision) {
  if (!connection_) {
    return;
  }
  const protocol::request::TerminalsWait wait{revision, list_watch_time.count()};
  const auto then = [this, revision](const Result<protocol::Response>& response) {
    const auto* const changed =
        response ? std::get_if<protocol::reply::TerminalsChanged>(&*response) : nullptr;
    if (changed != nullptr) {
      watch_list(changed->revision);
      if (!changed->timed_out) {
        terminals_changed_();
      }
    } else if (terminals_changed_ && !response && response.error().code == Code::timeout) {
      watch_list(revision);
    }
  };
  if (const auto number = connection_->send(wait)) {
    list_watch_ = *number;
    waiting_.emplace(*number, Waiting{then, client::after(answer_time(wait))});
    [[maybe_unused]] const auto sent = connection_->flush();
  }
}

/// It is over; where none follows, the daemon does not tell of its list any more.
void DaemonLink::forget_watch(client::RequestNumber number) {
  if (number == list_watch_) {
    list_watch_ = 0;
  }
}

client::RequestNumber DaemonLink::ask(const protocol::Request& request, Then then) {
  const bool waits = only_waits(request);
  if (waits && no_waits_) {
    then(*no_waits_);
    return 0;
  }
  if (auto connected = connect(); !connected) {
    then(connected.error());
    return 0;
  }
  const auto number = connection_->send(request);
  if (!number) {
    then(number.error());
    return 0;
  }
  const bool changes_terminals =
      list_watch_ == 0 && (std::holds_alternative<protocol::request::Create>(request) ||
                           std::holds_alternative<protocol::request::Terminate>(request));
  waiting_.emplace(*number, Waiting{std::move(then), client::after(answer_time(request)),
                                    changes_terminals, waits});
  [[maybe_unused]] const auto sent = connection_->flush();  // a failure shows at the next pump
  return *number;
}

client::RequestNumber DaemonLink::subscribe(const protocol::request::Subscribe& request,
                                            OnEvent on_event) {
  if (!connect()) {
    return 0;
  }
  const auto number = connection_->send(request);
  if (!number) {
    return 0;
  }
  subscriptions_.emplace(*number, std::move(on_event));
  return *number;
}

void DaemonLink::cancel(client::RequestNumber number) {
  if (connection_ && number != 0) {
    [[maybe_unused]] const auto sent = connection_->cancel(number);
  }
}

bool DaemonLink::has(std::string_view feature) {
  return connect().ok() && connection_->has(feature);
}

int DaemonLink::fd() const {
  return connection_ ? connection_->fd() : -1;
}

bool DaemonLink::wants_write() const {
  return connection_ && connection_->wants_write();
}

void DaemonLink::pump() {
  if (!connection_) {
    return;
  }
  const auto pumped = connection_->pump();
  while (connection_) {
    auto message = connection_->next();
    if (!message) {
      break;
    }
    if (auto* reply = std::get_if<client::Reply>(&*message)) {
      deliver(std::move(*reply));
      continue;
    }
    const auto subscription = subscriptions_.find(std::get<client::Output>(*message).request);
    if (subscription != subscriptions_.end()) {
      subscription->second(nullptr);
    }
  }
  if (!pumped) {
    lose(pumped.error());
  }
}

void DaemonLink::deliver(client::Reply reply) {
  if (const auto waiting = waiting_.find(reply.request); waiting != waiting_.end()) {
    const Waiting asked = std::move(waiting->second);
    waiting_.erase(waiting);
    forget_watch(reply.request);
    if (const auto* error = std::get_if<protocol::reply::Error>(&reply.response)) {
      asked.then(Error{error->code.value_or(Code::internal), error->message});
      return;
    }
    asked.then(std::move(reply.response));
    if (asked.changes_terminals && terminals_changed_) {
      terminals_changed_();
    }
    return;
  }
  const auto subscription = subscriptions_.find(reply.request);
  if (subscription == subscriptions_.end()) {
    return;
  }
  const OnEvent on_event = subscription->second;
  if (std::holds_alternative<protocol::event::Ended>(reply.response) ||
      std::holds_alternative<protocol::reply::Error>(reply.response)) {
    subscriptions_.erase(subscription);
  }
  on_event(&reply.response);
}

void DaemonLink::lose(const Error& cause) {
  connection_.reset();
  client_.reset();
  list_watch_ = 0;
  const auto subscriptions = std::exchange(subscriptions_, {});
  for (const auto& [number, asked] : std::exchange(waiting_, {})) {
    asked.then(Error{Code::io, "the daemon went away: " + cause.message});
  }
  const protocol::Response ended = protocol::event::Ended{protocol::EndReason::shutdown, 0};
  for (const auto& [number, on_event] : subscriptions) {
    on_event(&ended);
  }
  if (terminals_changed_) {
    terminals_changed_();
  }
}

std::optional<client::Deadline> DaemonLink::due() const {
  const auto first = std::min_element(
      waiting_.begin(), waiting_.end(),
      [](const auto& a, const auto& b) { return a.second.deadline < b.second.deadline; });
  return first == waiting_.end() ? std::nullopt : std::optional(first->second.deadline);
}

void DaemonLink::expire(client::Deadline now) {
  for (auto first = due(); first && *first <= now; first = due()) {
    const auto late = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& waiting) {
      return waiting.second.deadline == *first;
    });
    end(late->first, {Code::timeout, "the daemon does not answer; what was asked may yet happen"});
  }
}

void DaemonLink::end(client::RequestNumber number, const Error& cause) {
  const auto node = waiting_.extract(number);
  if (!node.empty()) {
    forget_watch(number);
    cancel(number);
    node.mapped().then(cause);
  }
}

void DaemonLink::end_waits(const Error& cause) {
  no_waits_ = cause;
  std::vector<client::RequestNumber> waits;
  for (const auto& [number, waiting] : waiting_) {
    if (waiting.waits) {
      waits.push_back(number);
    }
  }
  for (const client::RequestNumber number : waits) {
    end(number, cause);
  }
}

void DaemonLink::end_all(const Error& cause) {
  no_waits_ = cause;
  terminals_changed_ = nullptr;
  const auto last = waiting_.empty() ? 0 : waiting_.rbegin()->first;
  while (!waiting_.empty() && waiting_.begin()->first <= last) {
    end(waiting_.begin()->first, cause);  // what a continuation asks has a later number
  }
}

bool DaemonLink::busy() const {
  return waiting_.size() > waiting_.count(list_watch_);
}

}  // namespace troupe::mcp
