// SPDX-License-Identifier: MIT
#include "mcp/tool_call.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mcp/rpc.hpp"
#include "protocol/words.hpp"

namespace troupe::mcp {
namespace {

Json content(const Json& structured) {
  return Json::array({{{"type", "text"}, {"text", dump(structured)}}});
}

}  // namespace

void ToolCall::ask(const protocol::Request& request,
                   const std::function<void(const protocol::Response&)>& then) {
  if (finished_) {
    return;
  }
  const auto number = parts_.daemon.ask(
      request, [self = shared_from_this(), then](const Result<protocol::Response>& response) {
        if (self->finished_) {
          return;
        }
        if (response) {
          then(*response);
        } else {
          self->fail(response.error());
        }
      });
  in_flight_.push_back(number);
}

void ToolCall::succeed(const Json& structured) {
  if (!std::exchange(finished_, true)) {
    parts_.finish({{"content", content(structured)}, {"structuredContent", structured}});
  }
}

void ToolCall::fail(const Error& error) {
  if (std::exchange(finished_, true)) {
    return;
  }
  const Json structured = {
      {"ok", false},
      {"error",
       {{"code", protocol::to_text(error.code)}, {"message", with_instance_id(error.message)}}}};
  parts_.finish(
      {{"content", content(structured)}, {"structuredContent", structured}, {"isError", true}});
}

void ToolCall::cancel() {
  if (std::exchange(finished_, true)) {
    return;
  }
  for (const client::RequestNumber number : in_flight_) {
    parts_.daemon.cancel(number);
  }
}

std::int64_t ToolCall::bounded_wait(std::int64_t asked_ms) const {
  return parts_.progress_token.empty()
             ? std::min(asked_ms, std::int64_t{longest_silent_wait.count()})
             : asked_ms;
}

}  // namespace troupe::mcp
