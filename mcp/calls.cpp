// SPDX-License-Identifier: MIT
#include "mcp/calls.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

constexpr std::chrono::seconds progress_interval{5};

}  // namespace

Result<CallRequest> CallRequest::read(const Json& params) {
  const auto name = params.find("name");
  CallRequest request;
  if (name != params.end() && name->is_string()) {
    request.handler = find_tool(name->get<std::string>());
  }
  if (request.handler == nullptr) {
    return Error{Code::bad_request, "unknown tool"};
  }
  if (const auto given = params.find("arguments");
      given != params.end() && !given->is_object() && !given->is_null()) {
    return Error{Code::bad_request, "arguments must be an object"};
  }
  request.arguments = &object_or_empty(params, "arguments");
  const Json& meta = object_or_empty(params, "_meta");
  const auto token = meta.find("progressToken");
  // A token of another type is none: the call is good without.
  request.progress_token = token == meta.end() ? "" : id_text(*token).value_or("");
  return request;
}

void Calls::begin(const Asked& asked, const CallRequest& request) {
  if (calls_.size() >= max_calls) {
    return asked.refuse(rpc_code::invalid_request, "too many calls at once");
  }
  auto call = std::make_shared<ToolCall>(
      ToolCall::Parts{daemon_, notes_, request.progress_token, [this, asked](Json result) {
                        calls_.erase(asked.id());
                        asked.answer(std::move(result));
                      }});
  const auto now = client::Clock::now();
  const auto report =
      request.progress_token.empty() ? std::nullopt : std::optional(now + progress_interval);
  calls_.emplace(asked.id(), Active{call, asked, now, report});
  Arguments arguments(*request.arguments);
  request.handler(*call, arguments);
}

void Calls::cancel(const std::string& id) {
  if (const auto found = calls_.find(id); found != calls_.end()) {
    found->second.call->cancel();
    found->second.asked.withdraw();
    calls_.erase(found);
  }
}

std::optional<client::Deadline> Calls::due() const {
  std::optional<client::Deadline> first;
  for (const auto& [id, active] : calls_) {
    if (active.report && (!first || *active.report < *first)) {
      first = active.report;
    }
  }
  return first;
}

void Calls::tick(client::Deadline now) {
  for (auto& [id, active] : calls_) {
    if (active.report && *active.report <= now) {
      report_progress(active, now);
    }
  }
}

void Calls::report_progress(Active& active, client::Deadline now) {
  const auto seconds = std::chrono::duration<double>(now - active.began).count();
  send_(encode_notification("notifications/progress",
                            {{"progressToken", Json::parse(active.call->progress_token())},
                             {"progress", seconds},
                             {"message", "waiting"}}));
  active.report = now + progress_interval;
}

}  // namespace troupe::mcp
