// SPDX-License-Identifier: MIT
#include "mcp/server.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

/// The one version that has batches.
constexpr std::string_view batch_version = "2025-03-26";

Json capabilities() {
  return {{"tools", Json::object()}, {"resources", {{"subscribe", true}, {"listChanged", true}}}};
}

constexpr const char* instructions =
    "Terminals that outlive this connection. Launch one, run commands with terminal_run (exit code "
    "and output), drive programs with terminal_send_input, terminal_keys and terminal_wait_for, "
    "look with terminal_snapshot, close it when done.";

bool is_rpc(const Json& message) {
  return message.is_object() && message.value("jsonrpc", Json()) == "2.0";
}

/// The answer to what is no message of JSON-RPC 2.0; by its id, where it has one.
std::string no_message(const Json& message) {
  const Json id = message.is_object() ? message.value("id", Json()) : Json();
  return encode_error(is_id(id) ? id : Json(), rpc_code::invalid_request,
                      message.is_object() ? "jsonrpc must be \"2.0\"" : "no JSON-RPC message");
}

/// This server asks nothing: it is passed over.
bool is_response(const Json& message) {
  return message.contains("result") || message.contains("error");
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
      listens_(daemon_, watches_,
               {send_,
                [this](const Json& id, Json result) {
                  Asked(dump(id), Era::modern, send_).answer(std::move(result));
                }}),
      calls_(daemon_, send_) {
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
  } else if (is_rpc(parsed)) {
    message(parsed, nullptr);
  } else if (parsed.is_object() && parsed.contains("id") && !is_response(parsed)) {
    send_(no_message(parsed));
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
    if (is_rpc(one)) {
      message(one, answers);
    } else {
      answers->expect();
      answers->answer(no_message(one));
    }
  }
  answers->close();
}

void Server::message(const Json& message, const std::shared_ptr<Batch>& batch) {
  if (is_response(message)) {
    return;
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
  Asked asked(dump(is_id(*id) ? *id : Json()), era_.era(), send_, batch);
  if (!named) {
    asked.refuse(rpc_code::invalid_request, "method must be a string");
  } else if (!is_id(*id)) {
    asked.refuse(rpc_code::invalid_request, "id must be a string or a number");
  } else if (batch && *method == "initialize") {
    asked.refuse(rpc_code::invalid_request, "initialize must not be part of a batch");
  } else {
    request(std::move(asked), method->get<std::string>(), params);
  }
}

void Server::request(Asked asked, const std::string& method, const Json& params) {
  if (in_flight(asked.id())) {
    return asked.refuse(rpc_code::invalid_request, "id is in use");
  }
  if (const auto refusal = era_.admit(method, params)) {
    if (refusal->code == rpc_code::unsupported_version) {
      asked.refuse(refusal->code, refusal->message,
                   {{"supported", {modern_version}}, {"requested", refusal->requested}});
    } else {
      asked.refuse(refusal->code, refusal->message);
    }
    return;
  }
  asked.belongs_to(era_.era());
  if (method == "initialize") {
    initialize(asked, params);
  } else if (method == "server/discover" && asked.era() == Era::modern) {
    asked.answer_cacheable({{"supportedVersions", {modern_version}},
                            {"capabilities", capabilities()},
                            {"instructions", instructions}});
  } else if (method == "ping") {
    asked.answer_plain(Json::object());
  } else if (method == "tools/list") {
    asked.answer_cacheable({{"tools", tool_list()}});
  } else if (method == "tools/call") {
    call_tool(asked, params);
  } else if (method == "subscriptions/listen" && asked.era() == Era::modern) {
    listens_.open(Json::parse(asked.id()), params);
  } else if (!answer_resources(asked, method, params)) {
    asked.refuse(rpc_code::method_not_found, "unknown method " + method.substr(0, 64));
  }
}

void Server::initialize(const Asked& asked, const Json& params) {
  const auto version = params.find("protocolVersion");
  negotiated_ = negotiate_version(
      version != params.end() && version->is_string() ? version->get<std::string>() : "");
  asked.answer_plain({{"protocolVersion", negotiated_},
                      {"capabilities", capabilities()},
                      {"serverInfo", server_info()},
                      {"instructions", instructions}});
}

/// Whether a request is under way by this id: two answers to one id would be told apart by nobody,
/// nor what a client cancels.
bool Server::in_flight(const std::string& id) const {
  return calls_.has(id) || listens_.has(id) || looks_.count(id) != 0;
}

void Server::call_tool(const Asked& asked, const Json& params) {
  const Result<CallRequest> call = CallRequest::read(params);
  if (!call) {
    asked.refuse(rpc_code::invalid_params, call.error().message);
  } else {
    calls_.begin(asked, *call);
  }
}

void Server::notification(const std::string& method, const Json& params) {
  if (method != "notifications/cancelled") {
    return;
  }
  const auto id = params.find("requestId");
  const auto key = id == params.end() ? std::nullopt : id_text(*id);
  if (key && !listens_.cancel(*key)) {
    calls_.cancel(*key);
  }
}

bool Server::answer_resources(const Asked& asked, const std::string& method, const Json& params) {
  const auto answer = [this, asked](Json result, const Refusal* refusal) {
    looks_.erase(asked.id());
    if (refusal != nullptr) {
      asked.refuse(refusal->code, with_instance_id(refusal->message));
    } else {
      asked.answer_cacheable(std::move(result));
    }
  };
  looks_.insert(asked.id());
  const bool known = resources_.answer(method, params, answer);
  if (!known) {
    looks_.erase(asked.id());
  }
  return known;
}

void Server::input_ended() {
  listens_.close_all();
  daemon_.end_waits({Code::cancelled, "the client's input has ended"});
}

void Server::give_up() {
  daemon_.end_all({Code::timeout, "the client's input has ended; what was asked may yet happen"});
}

std::optional<client::Deadline> Server::due() const {
  const auto expiry = daemon_.due();
  const auto report = calls_.due();
  return expiry && report ? std::min(expiry, report) : (expiry ? expiry : report);
}

void Server::tick(client::Deadline now) {
  daemon_.expire(now);
  calls_.tick(now);
}

}  // namespace troupe::mcp
