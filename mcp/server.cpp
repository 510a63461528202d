// SPDX-License-Identifier: MIT
#include "mcp/server.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/tools.hpp"
#include "protocol/version.hpp"

namespace troupe::mcp {
namespace {

constexpr std::size_t max_calls = 1024;
constexpr std::chrono::seconds progress_interval{5};

Json server_info() {
  return {
      {"name", "troupe"}, {"title", "troupe terminals"}, {"version", protocol::program_version}};
}

Json capabilities() {
  return {{"tools", Json::object()}, {"resources", {{"subscribe", true}, {"listChanged", true}}}};
}

constexpr const char* instructions =
    "Terminals that outlive this connection. Launch one, run commands with terminal_run (exit code "
    "and output), drive programs with terminal_send_input, terminal_keys and terminal_wait_for, "
    "look with terminal_snapshot, close it when done.";

/// Adds what every modern result carries.
void modernise(Json& result, bool cacheable) {
  result["resultType"] = "complete";
  if (cacheable) {
    result["ttlMs"] = 0;
    result["cacheScope"] = "private";
  }
  result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
}

const Json& object_or_empty(const Json& message, const char* key) {
  static const Json empty = Json::object();
  const auto found = message.find(key);
  return found != message.end() && found->is_object() ? *found : empty;
}

}  // namespace

Server::Server(client::DaemonAddress address, std::function<void(std::string)> send)
    : send_(std::move(send)),
      daemon_(std::move(address)),
      watches_(daemon_,
               [this](const std::string& listener, const ResourceName& name) {
                 if (listener == connection_listener) {
                   send_(encode_notification("notifications/resources/updated",
                                             {{"uri", to_uri(name)}}));
                 } else {
                   listens_.updated(listener, name);
                 }
               }),
      resources_(daemon_, watches_),
      listens_(daemon_, watches_, {send_, [this](const Json& id, Json result) {
                                     reply(id, std::move(result), Era::modern);
                                   }}) {
  daemon_.on_terminals_changed([this] {
    if (era_.era() == Era::legacy) {
      send_(encode_notification("notifications/resources/list_changed", Json::object()));
    } else {
      listens_.list_changed();
    }
  });
}

void Server::line(std::string_view text) {
  if (nests_too_deeply(text)) {
    send_(encode_error(nullptr, rpc_code::invalid_request, "nested too deeply"));
    return;
  }
  const Json message = Json::parse(text, nullptr, false);
  if (message.is_array()) {
    // Only one version of MCP had batches, and no client of it sends them.
    send_(encode_error(nullptr, rpc_code::invalid_request, "a line is one message, no batch"));
    return;
  }
  if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0") {
    return;
  }
  const auto id = message.find("id");
  if (message.contains("result") || message.contains("error")) {
    return;  // a response: this server asks nothing
  }
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string()) {
    if (id != message.end()) {
      send_(encode_error(is_id(*id) ? *id : Json(), rpc_code::invalid_request,
                         "method must be a string"));
    }
    return;
  }
  const Json& params = object_or_empty(message, "params");
  if (id == message.end()) {
    notification(method->get<std::string>(), params);
  } else if (is_id(*id)) {
    request(*id, method->get<std::string>(), params);
  } else {
    send_(encode_error(nullptr, rpc_code::invalid_request, "id must be a string or a number"));
  }
}

void Server::request(const Json& id, const std::string& method, const Json& params) {
  if (const auto refusal = era_.admit(method, params)) {
    if (refusal->code == rpc_code::unsupported_version) {
      send_(encode_error(id, refusal->code, refusal->message,
                         {{"supported", {modern_version}}, {"requested", refusal->requested}}));
    } else {
      send_(encode_error(id, refusal->code, refusal->message));
    }
    return;
  }
  const Era era = era_.era();
  if (method == "initialize") {
    initialize(id, params);
  } else if (method == "server/discover" && era == Era::modern) {
    Json result = {{"supportedVersions", {modern_version}},
                   {"capabilities", capabilities()},
                   {"instructions", instructions}};
    modernise(result, true);
    send_(encode_result(id, result));
  } else if (method == "ping") {
    send_(encode_result(id, Json::object()));
  } else if (method == "tools/list") {
    Json result = {{"tools", tool_list()}};
    if (era == Era::modern) {
      modernise(result, true);
    }
    send_(encode_result(id, result));
  } else if (method == "tools/call") {
    call_tool(id, params, era);
  } else if (method == "subscriptions/listen" && era == Era::modern) {
    if (admit_open(id, dump(id))) {
      listens_.open(id, params);
    }
  } else if (!answer_resources(id, method, params, era)) {
    send_(encode_error(id, rpc_code::method_not_found, "unknown method " + method.substr(0, 64)));
  }
}

void Server::initialize(const Json& id, const Json& params) {
  const auto version = params.find("protocolVersion");
  const std::string asked =
      version != params.end() && version->is_string() ? version->get<std::string>() : "";
  send_(encode_result(id, {{"protocolVersion", negotiate_version(asked)},
                           {"capabilities", capabilities()},
                           {"serverInfo", server_info()},
                           {"instructions", instructions}}));
}

void Server::reply(const Json& id, Json result, Era era) {
  if (era == Era::modern) {
    modernise(result, false);
  }
  send_(encode_result(id, result));
}

/// Whether a request may stay open under its id, by which a client cancels it.
bool Server::admit_open(const Json& id, const std::string& key) {
  if (calls_.count(key) == 0 && !listens_.has(key)) {
    return true;
  }
  send_(encode_error(id, rpc_code::invalid_request, "id is in use"));
  return false;
}

void Server::call_tool(const Json& id, const Json& params, Era era) {
  const auto name = params.find("name");
  const Handler handler =
      name != params.end() && name->is_string() ? find_tool(name->get<std::string>()) : nullptr;
  if (handler == nullptr) {
    send_(encode_error(id, rpc_code::invalid_params, "unknown tool"));
    return;
  }
  if (const auto given = params.find("arguments");
      given != params.end() && !given->is_object() && !given->is_null()) {
    send_(encode_error(id, rpc_code::invalid_params, "arguments must be an object"));
    return;
  }
  const std::string key = dump(id);
  if (!admit_open(id, key)) {
    return;
  }
  if (calls_.size() >= max_calls) {
    send_(encode_error(id, rpc_code::invalid_request, "too many calls at once"));
    return;
  }
  const Json& meta = object_or_empty(params, "_meta");
  const auto given = meta.find("progressToken");
  // A token of another type is none: the call is good without.
  const std::string token = given == meta.end() ? "" : id_text(*given).value_or("");
  auto call = std::make_shared<ToolCall>(
      ToolCall::Parts{daemon_, notes_, token, [this, id, key, era](Json result) {
                        calls_.erase(key);
                        reply(id, std::move(result), era);
                      }});
  const auto now = client::Clock::now();
  const auto report = token.empty() ? std::nullopt : std::optional(now + progress_interval);
  calls_.emplace(key, Active{call, now, report});
  Arguments arguments(object_or_empty(params, "arguments"));
  handler(*call, arguments);
}

void Server::notification(const std::string& method, const Json& params) {
  if (method != "notifications/cancelled") {
    return;
  }
  const auto id = params.find("requestId");
  const auto key = id == params.end() ? std::nullopt : id_text(*id);
  if (key && listens_.cancel(*key)) {
    return;
  }
  const auto found = key ? calls_.find(*key) : calls_.end();
  if (found != calls_.end()) {
    found->second.call->cancel();
    calls_.erase(found);
  }
}

bool Server::answer_resources(const Json& id, const std::string& method, const Json& params,
                              Era era) {
  const auto answer = [this, id, era](Json result, const Refusal* refusal) {
    if (refusal != nullptr) {
      send_(encode_error(id, refusal->code, refusal->message));
      return;
    }
    if (era == Era::modern) {
      modernise(result, true);
    }
    send_(encode_result(id, result));
  };
  return resources_.answer(method, params, answer);
}

std::optional<client::Deadline> Server::due() const {
  std::optional<client::Deadline> first = daemon_.due();
  for (const auto& [key, active] : calls_) {
    if (active.report && (!first || *active.report < *first)) {
      first = active.report;
    }
  }
  return first;
}

void Server::tick(client::Deadline now) {
  daemon_.expire(now);
  for (auto& [key, active] : calls_) {
    if (active.report && *active.report <= now) {
      report_progress(active, now);
    }
  }
}

void Server::report_progress(Active& active, client::Deadline now) {
  const auto seconds = std::chrono::duration<double>(now - active.began).count();
  send_(encode_notification("notifications/progress",
                            {{"progressToken", Json::parse(active.call->progress_token())},
                             {"progress", seconds},
                             {"message", "waiting"}}));
  active.report = now + progress_interval;
}

}  // namespace troupe::mcp
