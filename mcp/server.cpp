// SPDX-License-Identifier: MIT
#include "mcp/server.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/tools.hpp"
#include "protocol/version.hpp"

namespace troupe::mcp {
namespace {

constexpr std::size_t max_calls = 1024;
/// The one version that has batches.
constexpr std::string_view batch_version = "2025-03-26";
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
                                     reply({dump(id), Era::modern}, std::move(result));
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
  const Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_array()) {
    batch(parsed);
  } else if (parsed.is_object() && parsed.value("jsonrpc", Json()) == "2.0") {
    message(parsed, nullptr);
  }
}

void Server::batch(const Json& messages) {
  if (negotiated_ != batch_version) {
    send_(encode_error(nullptr, rpc_code::invalid_request, "a line is one message, no batch"));
    return;
  }
  if (messages.empty() || messages.size() > Batch::max_messages) {
    send_(encode_error(nullptr, rpc_code::invalid_request,
                       messages.empty() ? "an empty batch"
                                        : "a batch holds at most " +
                                              std::to_string(Batch::max_messages) + " messages"));
    return;
  }
  const auto answers = std::make_shared<Batch>(send_);
  for (const Json& one : messages) {
    if (one.is_object() && one.value("jsonrpc", Json()) == "2.0") {
      message(one, answers);
    } else {
      answers->expect();
      answers->answer(encode_error(nullptr, rpc_code::invalid_request, "no JSON-RPC message"));
    }
  }
  answers->close();
}

void Server::message(const Json& message, const std::shared_ptr<Batch>& batch) {
  if (message.contains("result") || message.contains("error")) {
    return;  // a response: this server asks nothing
  }
  const auto id = message.find("id");
  const auto method = message.find("method");
  const bool named = method != message.end() && method->is_string();
  const Json& params = object_or_empty(message, "params");
  if (id == message.end()) {
    if (named) {
      notification(method->get<std::string>(), params);
    }
    return;
  }
  if (batch) {
    batch->expect();
  }
  Asked asked{dump(is_id(*id) ? *id : Json()), era_.era(), batch};
  if (!named) {
    refuse(asked, rpc_code::invalid_request, "method must be a string");
  } else if (!is_id(*id)) {
    refuse(asked, rpc_code::invalid_request, "id must be a string or a number");
  } else if (batch && *method == "initialize") {
    refuse(asked, rpc_code::invalid_request, "initialize must not be part of a batch");
  } else {
    request(std::move(asked), method->get<std::string>(), params);
  }
}

void Server::request(Asked asked, const std::string& method, const Json& params) {
  if (const auto refusal = era_.admit(method, params)) {
    if (refusal->code == rpc_code::unsupported_version) {
      send_answer(asked, encode_error(
                             Json::parse(asked.id), refusal->code, refusal->message,
                             {{"supported", {modern_version}}, {"requested", refusal->requested}}));
    } else {
      refuse(asked, refusal->code, refusal->message);
    }
    return;
  }
  asked.era = era_.era();
  if (method == "initialize") {
    initialize(asked, params);
  } else if (method == "server/discover" && asked.era == Era::modern) {
    reply_cacheable(asked, {{"supportedVersions", {modern_version}},
                            {"capabilities", capabilities()},
                            {"instructions", instructions}});
  } else if (method == "ping") {
    reply_plain(asked, Json::object());
  } else if (method == "tools/list") {
    reply_cacheable(asked, {{"tools", tool_list()}});
  } else if (method == "tools/call") {
    call_tool(asked, params);
  } else if (method == "subscriptions/listen" && asked.era == Era::modern) {
    if (admit_open(asked)) {
      listens_.open(Json::parse(asked.id), params);
    }
  } else if (!answer_resources(asked, method, params)) {
    refuse(asked, rpc_code::method_not_found, "unknown method " + method.substr(0, 64));
  }
}

void Server::initialize(const Asked& asked, const Json& params) {
  const auto version = params.find("protocolVersion");
  negotiated_ = negotiate_version(
      version != params.end() && version->is_string() ? version->get<std::string>() : "");
  reply_plain(asked, {{"protocolVersion", negotiated_},
                      {"capabilities", capabilities()},
                      {"serverInfo", server_info()},
                      {"instructions", instructions}});
}

void Server::send_answer(const Asked& asked, std::string message) {
  if (asked.batch) {
    asked.batch->answer(message);
  } else {
    send_(std::move(message));
  }
}

void Server::reply_plain(const Asked& asked, const Json& result) {
  send_answer(asked, encode_result(Json::parse(asked.id), result));
}

void Server::reply(const Asked& asked, Json result) {
  if (asked.era == Era::modern) {
    modernise(result, false);
  }
  reply_plain(asked, result);
}

void Server::reply_cacheable(const Asked& asked, Json result) {
  if (asked.era == Era::modern) {
    modernise(result, true);
  }
  reply_plain(asked, result);
}

void Server::refuse(const Asked& asked, int code, std::string_view message) {
  send_answer(asked, encode_error(Json::parse(asked.id), code, message));
}

/// Whether a request may stay open under its id, by which a client cancels it.
bool Server::admit_open(const Asked& asked) {
  if (calls_.count(asked.id) == 0 && !listens_.has(asked.id)) {
    return true;
  }
  refuse(asked, rpc_code::invalid_request, "id is in use");
  return false;
}

void Server::call_tool(const Asked& asked, const Json& params) {
  const auto name = params.find("name");
  const Handler handler =
      name != params.end() && name->is_string() ? find_tool(name->get<std::string>()) : nullptr;
  if (handler == nullptr) {
    return refuse(asked, rpc_code::invalid_params, "unknown tool");
  }
  if (const auto given = params.find("arguments");
      given != params.end() && !given->is_object() && !given->is_null()) {
    return refuse(asked, rpc_code::invalid_params, "arguments must be an object");
  }
  if (!admit_open(asked)) {
    return;
  }
  if (calls_.size() >= max_calls) {
    return refuse(asked, rpc_code::invalid_request, "too many calls at once");
  }
  const Json& meta = object_or_empty(params, "_meta");
  const auto given = meta.find("progressToken");
  // A token of another type is none: the call is good without.
  const std::string token = given == meta.end() ? "" : id_text(*given).value_or("");
  auto call = std::make_shared<ToolCall>(
      ToolCall::Parts{daemon_, notes_, token, [this, asked](Json result) {
                        calls_.erase(asked.id);
                        reply(asked, std::move(result));
                      }});
  const auto now = client::Clock::now();
  const auto report = token.empty() ? std::nullopt : std::optional(now + progress_interval);
  calls_.emplace(asked.id, Active{call, asked.batch, now, report});
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
    if (found->second.batch) {
      found->second.batch->withdraw();
    }
    calls_.erase(found);
  }
}

bool Server::answer_resources(const Asked& asked, const std::string& method, const Json& params) {
  const auto answer = [this, asked](Json result, const Refusal* refusal) {
    if (refusal != nullptr) {
      refuse(asked, refusal->code, with_instance_id(refusal->message));
    } else {
      reply_cacheable(asked, std::move(result));
    }
  };
  return resources_.answer(method, params, answer);
}

void Server::input_ended() {
  listens_.close_all();
  daemon_.end_waits({Code::cancelled, "the client's input has ended"});
}

void Server::give_up() {
  daemon_.end_all({Code::timeout, "the client's input has ended; what was asked may yet happen"});
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
