// SPDX-License-Identifier: MIT
#include "client/attach/opening.hpp"

#include <optional>
#include <utility>

#include "base/environment.hpp"
#include "protocol/features.hpp"

namespace troupe::client {
namespace {

namespace feature = protocol::feature;
namespace request = protocol::request;
namespace reply = protocol::reply;

struct Stream {
  reply::Attached attached;
  Connection connection;
  RequestNumber subscription = 0;
};

request::Subscribe subscription(const Client& client, const AttachOptions& options,
                                StreamOffset offset, const std::string& attachment) {
  request::Subscribe subscribe;
  subscribe.id = options.id;
  subscribe.offset = offset;
  subscribe.attachment_id = attachment;
  subscribe.role = protocol::Role::controller;
  subscribe.takeover = options.participation == Participation::take_over;
  if (client.has(feature::history_rows)) {
    subscribe.history_rows = 0;  // the scrollback of this window has them already
  }
  if (client.has(feature::ssh_agent)) {
    const auto agent = environment_value("SSH_AUTH_SOCK");
    if (agent && agent->starts_with('/')) {  // another one means nothing to the daemon
      subscribe.ssh_auth_sock = agent;
    }
  }
  return subscribe;
}

request::Subscribe watching(const Client& client, request::Subscribe subscribe) {
  subscribe.role = protocol::Role::observer;
  subscribe.takeover = false;
  subscribe.resync = client.has(feature::resync);
  return subscribe;
}

Result<Stream> open_stream(const Client& client, const request::Subscribe& subscribe) {
  Result<Connection> connection = client.connect();
  if (!connection) {
    return connection.error();
  }
  const Result<RequestNumber> number = connection->send(subscribe);
  if (!number) {
    return number.error();
  }
  auto attached = reply_as<reply::Attached>(connection->await(*number, after(Client::patience)));
  if (!attached) {
    return attached.error();
  }
  return Stream{std::move(*attached), std::move(*connection), *number};
}

/// Control, where it is asked for and to be had; else a place to watch from.
Result<Stream> subscribe(const Client& client, Participation participation,
                         const request::Subscribe& wanted) {
  if (participation != Participation::observe) {
    Result<Stream> stream = open_stream(client, wanted);
    if (stream || participation == Participation::take_over) {
      return stream;
    }
  }
  return open_stream(client, watching(client, wanted));
}

}  // namespace

Result<Opening> open_attachment(Client& client, const AttachOptions& options,
                                const std::string& attachment) {
  const request::Snapshot look{options.id, {}};
  Result<reply::Snapshot> snapshot = client.ask<reply::Snapshot>(look);
  if (!snapshot) {
    return snapshot.error();
  }
  Result<Stream> stream =
      subscribe(client, options.participation,
                subscription(client, options, snapshot->terminal.output_tail, attachment));
  if (!stream) {
    return stream.error();
  }
  if (stream->attached.truncated) {
    // More came between the two than the daemon keeps: look once more, now with the stream open.
    snapshot = client.ask<reply::Snapshot>(look);
    if (!snapshot) {
      return snapshot.error();
    }
  }
  return Opening{std::move(*snapshot), std::move(stream->attached), std::move(stream->connection),
                 stream->subscription};
}

}  // namespace troupe::client
