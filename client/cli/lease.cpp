// SPDX-License-Identifier: MIT
#include "client/cli/lease.hpp"

#include <utility>

#include "base/random.hpp"

namespace troupe::client::cli {

Result<Lease> take_control(const Client& client, const protocol::TerminalInfo& terminal) {
  Result<Connection> connection = client.connect();
  if (!connection) {
    return connection.error();
  }
  Lease lease{std::move(*connection), "troupe-lease-" + random_hex(8)};
  protocol::request::Subscribe subscribe;
  subscribe.id = terminal.id;
  subscribe.offset = terminal.output_tail;
  subscribe.attachment_id = lease.attachment;
  subscribe.role = protocol::Role::controller;
  subscribe.takeover = true;
  lease.connection.ignore_output();
  const Result<Reply> attached = lease.connection.call(subscribe, after(Client::patience));
  if (!attached) {
    return attached.error();
  }
  return lease;
}

Error explain_refusal(Error error) {
  if (error.code == Code::not_controller) {
    error.message += "; another client controls this terminal (--takeover takes control)";
  }
  return error;
}

}  // namespace troupe::client::cli
