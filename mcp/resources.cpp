// SPDX-License-Identifier: MIT
#include "mcp/resources.hpp"

#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

constexpr std::string_view scheme = "troupe://terminal/";
constexpr std::size_t max_watched = 1024;
constexpr int resource_not_found = -32002;

Json contents(const ResourceName& name, const char* mime, std::string text) {
  return {{"contents",
           Json::array({{{"uri", to_uri(name)}, {"mimeType", mime}, {"text", std::move(text)}}})}};
}

}  // namespace

std::string to_uri(const ResourceName& name) {
  return std::string(scheme) + instance_id(name.terminal) +
         (name.view == View::screen ? "/screen" : "/journal");
}

std::optional<ResourceName> parse_uri(std::string_view uri) {
  if (uri.substr(0, scheme.size()) != scheme) {
    return std::nullopt;
  }
  uri.remove_prefix(scheme.size());
  const auto id = parse_instance_id(uri.substr(0, 12));
  const std::string_view view = uri.size() > 12 ? uri.substr(12) : "";
  if (!id || (view != "/screen" && view != "/journal")) {
    return std::nullopt;
  }
  return ResourceName{*id, view == "/screen" ? View::screen : View::journal};
}

bool Resources::answer(std::string_view method, const Json& params, const Answer& answer) {
  if (method == "resources/list") {
    list(answer);
    return true;
  }
  if (method == "resources/templates/list") {
    answer({{"resourceTemplates",
             Json::array({{{"uriTemplate", "troupe://terminal/{instance_id}/screen"},
                           {"name", "screen"},
                           {"mimeType", "text/plain"}},
                          {{"uriTemplate", "troupe://terminal/{instance_id}/journal"},
                           {"name", "journal"},
                           {"mimeType", "application/json"}}})}},
           nullptr);
    return true;
  }
  if (method != "resources/read" && method != "resources/subscribe" &&
      method != "resources/unsubscribe") {
    return false;
  }
  const auto uri = params.find("uri");
  const auto name =
      uri != params.end() && uri->is_string() ? parse_uri(uri->get<std::string>()) : std::nullopt;
  if (!name) {
    const Refusal refusal{resource_not_found, "no such resource", {}};
    answer({}, &refusal);
  } else if (method == "resources/read") {
    read(*name, answer);
  } else if (method == "resources/subscribe") {
    subscribe(*name, answer);
  } else {
    unsubscribe(*name);
    answer(Json::object(), nullptr);
  }
  return true;
}

void Resources::list(const Answer& answer) {
  daemon_.ask(request::List{}, [answer](const Result<protocol::Response>& response) {
    Json listed = Json::array();
    const auto* terminals = response ? std::get_if<reply::Terminals>(&*response) : nullptr;
    if (terminals == nullptr) {
      const Refusal refusal{
          rpc_code::internal_error, response ? "unexpected answer" : response.error().message, {}};
      answer({}, &refusal);
      return;
    }
    for (const auto& terminal : terminals->terminals) {
      for (const View view : {View::screen, View::journal}) {
        const bool screen = view == View::screen;
        listed.push_back({{"uri", to_uri({terminal.id, view})},
                          {"name", terminal.title + (screen ? " screen" : " journal")},
                          {"mimeType", screen ? "text/plain" : "application/json"}});
      }
    }
    answer({{"resources", listed}}, nullptr);
  });
}

void Resources::read(const ResourceName& name, const Answer& answer) {
  const auto watch = watched_.find(name);
  if (watch != watched_.end()) {
    watch->second.told = false;
  }
  const auto then = [name, answer](const Result<protocol::Response>& response) {
    if (!response) {
      const Refusal refusal{
          response.error().code == Code::not_found ? resource_not_found : rpc_code::internal_error,
          response.error().message,
          {}};
      answer({}, &refusal);
    } else if (const auto* rows = std::get_if<reply::Rows>(&*response)) {
      answer(contents(name, "text/plain", excerpt(join_rows(rows->lines), {}).text), nullptr);
    } else if (const auto* journal = std::get_if<reply::Journal>(&*response)) {
      Json records = Json::array();
      for (const auto& record : journal->records) {
        records.push_back(to_json(record));
      }
      answer(contents(name, "application/json",
                      records.dump(-1, ' ', false, Json::error_handler_t::replace)),
             nullptr);
    }
  };
  if (name.view == View::screen) {
    daemon_.ask(request::ReadRows{name.terminal, std::nullopt}, then);
  } else {
    request::Journal journal;
    journal.id = name.terminal;
    journal.limit = 50;
    daemon_.ask(journal, then);
  }
}

void Resources::subscribe(const ResourceName& name, const Answer& answer) {
  if (watched_.count(name) != 0) {
    answer(Json::object(), nullptr);
    return;
  }
  if (watched_.size() >= max_watched) {
    const Refusal refusal{rpc_code::invalid_request, "too many subscriptions", {}};
    answer({}, &refusal);
    return;
  }
  // One daemon subscription a terminal and connection: the newer one serves both views.
  request::Subscribe subscribe;
  subscribe.id = name.terminal;
  subscribe.attachment_id = "mcp-" + instance_id(name.terminal);
  subscribe.journal = true;
  subscribe.resync = true;
  subscribe.history_rows = 0;
  daemon_.ask(request::Since{name.terminal, CursorNow{}, 0},
              [this, name, subscribe, answer](const Result<protocol::Response>& response) mutable {
                if (!response) {
                  const Refusal refusal{resource_not_found, response.error().message, {}};
                  answer({}, &refusal);
                  return;
                }
                watched_[name].subscription =
                    daemon_.subscribe(subscribe, [this, id = name.terminal](const auto* event) {
                      changed({id, View::screen}, event);
                      changed({id, View::journal}, event);
                      if (event != nullptr) {
                        drop_ended(id, *event);
                      }
                    });
                answer(Json::object(), nullptr);
              });
}

void Resources::unsubscribe(const ResourceName& name) {
  const auto watch = watched_.find(name);
  if (watch == watched_.end()) {
    return;
  }
  const auto subscription = watch->second.subscription;
  watched_.erase(watch);
  const ResourceName other{name.terminal, name.view == View::screen ? View::journal : View::screen};
  if (watched_.count(other) == 0) {
    daemon_.cancel(subscription);
  } else {
    watched_[other].subscription = subscription;
  }
}

void Resources::drop_ended(TerminalId id, const protocol::Response& event) {
  const auto* ended = std::get_if<protocol::event::Ended>(&event);
  const bool by_us = ended != nullptr && (ended->reason == protocol::EndReason::replaced ||
                                          ended->reason == protocol::EndReason::cancelled);
  if (by_us || (ended == nullptr && !std::holds_alternative<reply::Error>(event))) {
    return;  // one that was replaced has a newer one in its place
  }
  // Kept, they would make the next subscription, of the restarted program, look like a second one.
  watched_.erase({id, View::screen});
  watched_.erase({id, View::journal});
}

void Resources::changed(const ResourceName& name, const protocol::Response* event) {
  const auto watch = watched_.find(name);
  if (watch == watched_.end() || watch->second.told) {
    return;
  }
  const bool of_commands =
      event != nullptr && (std::holds_alternative<protocol::event::CommandStarted>(*event) ||
                           std::holds_alternative<protocol::event::CommandFinished>(*event));
  const bool first = event != nullptr && std::holds_alternative<reply::Attached>(*event);
  if (first || of_commands != (name.view == View::journal)) {
    return;
  }
  watch->second.told = true;
  send_(encode_notification("notifications/resources/updated", {{"uri", to_uri(name)}}));
}

}  // namespace troupe::mcp
