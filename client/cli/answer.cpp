// SPDX-License-Identifier: MIT
#include "client/cli/answer.hpp"

namespace troupe::client::cli {

Result<Reply> call(const Context& context, Client& client, const protocol::Request& request,
                   std::chrono::milliseconds wait) {
  Result<Reply> reply = client.call(request, wait);
  if (reply && context.json) {
    print_reply(*reply);
  }
  return reply;
}

int simple_call(const Context& context, Client& client, const protocol::Request& request) {
  const Result<Reply> reply = call(context, client, request);
  return reply ? exit_status::ok : fail(reply.error());
}

}  // namespace troupe::client::cli
