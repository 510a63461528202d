// SPDX-License-Identifier: MIT
#include "mcp/listens.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "mcp/arguments.hpp"

namespace troupe::mcp {
namespace {

constexpr const char* subscription_key = "io.modelcontextprotocol/subscriptionId";

Json meta_of(const std::string& key) {
  return {{subscription_key, Json::parse(key)}};
}

Error bad(const char* message) {
  return {Code::bad_request, message};
}

}  // namespace

Result<ListenFilter> ListenFilter::read(const Json& params) {
  const auto asked = params.find("notifications");
  if (asked == params.end() || !asked->is_object()) {
    return bad("notifications must be an object");
  }
  ListenFilter filter;
  for (const char* const name :
       {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}) {
    const auto wanted = asked->find(name);
    if (wanted != asked->end() && !wanted->is_boolean()) {
      return Error{Code::bad_request, std::string(name) + " must be a boolean"};
    }
  }
  filter.resources_list = asked->value("resourcesListChanged", false);
  const auto uris = asked->find("resourceSubscriptions");
  if (uris == asked->end()) {
    return filter;
  }
  const auto is_text = [](const Json& uri) { return uri.is_string(); };
  if (!uris->is_array() || !std::all_of(uris->begin(), uris->end(), is_text)) {
    return bad("resourceSubscriptions must be an array of strings");
  }
  filter.uris.emplace();
  std::set<std::string> seen;
  for (const Json& uri : *uris) {
    auto text = uri.get<std::string>();
    if (seen.insert(text).second) {
      filter.uris->push_back(std::move(text));
    }
  }
  if (filter.uris->size() > max_uris) {
    return Error{Code::bad_request,
                 "too many resources: a subscription holds at most " + std::to_string(max_uris)};
  }
  return filter;
}

void Listens::open(const Json& id, const Json& params) {
  auto filter = ListenFilter::read(params);
  if (!filter) {
    return refuse(id, filter.error());
  }
  if (listens_.size() >= max_listens) {
    return refuse(id, {Code::limit, "too many subscriptions: at most " +
                                        std::to_string(max_listens) + " are open at once"});
  }
  const auto listen = std::make_shared<Listen>(Listen{dump(id), std::move(*filter), false});
  listens_.emplace(listen->key, listen);
  if (!listen->filter.resources_list && !listen->filter.uris) {
    return acknowledge(*listen, Json::object());  // not worth starting a daemon
  }
  const auto then = [this, weak = std::weak_ptr(listen)](Result<protocol::Response> response) {
    const auto asked = weak.lock();
    if (!asked) {
      return;  // cancelled meanwhile
    }
    const auto* terminals =
        response ? std::get_if<protocol::reply::Terminals>(&*response) : nullptr;
    if (terminals == nullptr) {
      listens_.erase(asked->key);
      return refuse(
          Json::parse(asked->key),
          response ? Error{Code::internal, "the daemon gave another answer"} : response.error());
    }
    opened(asked, *terminals);
  };
  daemon_.ask(protocol::request::List{}, then);
}

void Listens::opened(const std::shared_ptr<Listen>& listen,
                     const protocol::reply::Terminals& terminals) {
  std::set<TerminalId> known;
  for (const auto& terminal : terminals.terminals) {
    known.insert(terminal.id);
  }
  Json honoured = Json::object();
  if (listen->filter.resources_list) {
    honoured["resourcesListChanged"] = true;
  }
  if (listen->filter.uris) {
    Json& uris = honoured["resourceSubscriptions"] = Json::array();
    for (const std::string& uri : *listen->filter.uris) {
      const auto name = parse_uri(uri);
      if (!name || known.count(name->terminal) == 0) {
        continue;
      }
      if (const auto added = watches_.add(listen->key, *name); !added) {
        cancel(listen->key);
        return refuse(Json::parse(listen->key), added.error());
      }
      uris.push_back(uri);
    }
  }
  acknowledge(*listen, honoured);
}

void Listens::acknowledge(Listen& listen, const Json& honoured) {
  listen.acknowledged = true;
  out_.send(encode_notification("notifications/subscriptions/acknowledged",
                                {{"_meta", meta_of(listen.key)}, {"notifications", honoured}}));
}

void Listens::refuse(const Json& id, const Error& error) {
  const int code = error.code == Code::bad_request ? rpc_code::invalid_params
                   : error.code == Code::limit     ? rpc_code::invalid_request
                                                   : rpc_code::internal_error;
  out_.send(encode_error(id, code, with_instance_id(error.message)));
}

bool Listens::cancel(const std::string& key) {
  if (listens_.erase(key) == 0) {
    return false;
  }
  watches_.remove_all(key);
  return true;
}

void Listens::updated(const std::string& key, const ResourceName& name) {
  if (const auto at = listens_.find(key); at != listens_.end()) {
    out_.send(encode_notification("notifications/resources/updated",
                                  {{"_meta", meta_of(key)}, {"uri", to_uri(name)}}));
  }
}

void Listens::list_changed() {
  for (const auto& [key, listen] : listens_) {
    if (listen->acknowledged && listen->filter.resources_list) {
      out_.send(
          encode_notification("notifications/resources/list_changed", {{"_meta", meta_of(key)}}));
    }
  }
}

void Listens::close_all() {
  for (const auto& [key, listen] : std::exchange(listens_, {})) {
    watches_.remove_all(key);
    out_.finish(Json::parse(key), {{"_meta", meta_of(key)}});
  }
}

}  // namespace troupe::mcp
