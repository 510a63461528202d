// SPDX-License-Identifier: MIT
#include "mcp/daemon_link.hpp"

#include <utility>
#include <variant>

#include "client/daemon_start.hpp"

namespace troupe::mcp {

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
  return success();
}

client::RequestNumber DaemonLink::ask(const protocol::Request& request, Then then) {
  if (auto connected = connect(); !connected) {
    then(connected.error());
    return 0;
  }
  const auto number = connection_->send(request);
  if (!number) {
    then(number.error());
    return 0;
  }
  waiting_.emplace(*number, std::move(then));
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
    const Then then = std::move(waiting->second);
    waiting_.erase(waiting);
    if (const auto* error = std::get_if<protocol::reply::Error>(&reply.response)) {
      then(Error{error->code.value_or(Code::internal), error->message});
    } else {
      then(std::move(reply.response));
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
  for (auto& [number, then] : std::exchange(waiting_, {})) {
    then(Error{Code::io, "the daemon went away: " + cause.message});
  }
  subscriptions_.clear();
}

}  // namespace troupe::mcp
