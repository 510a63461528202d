// SPDX-License-Identifier: MIT
#include "mcp/resources.hpp"

#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

constexpr int resource_not_found = -32002;

Json contents(const ResourceName& name, const char* mime, std::string text) {
  return {{"contents",
           Json::array({{{"uri", to_uri(name)}, {"mimeType", mime}, {"text", std::move(text)}}})}};
}

}  // namespace

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
    watches_.remove(connection_listener, *name);
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
  watches_.was_read(name);
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
  daemon_.ask(request::Since{name.terminal, CursorNow{}, 0},
              [this, name, answer](const Result<protocol::Response>& response) {
                if (!response) {
                  const Refusal refusal{resource_not_found, response.error().message, {}};
                  answer({}, &refusal);
                } else if (const auto added = watches_.add(connection_listener, name); !added) {
                  const Refusal refusal{rpc_code::invalid_request, added.error().message, {}};
                  answer({}, &refusal);
                } else {
                  answer(Json::object(), nullptr);
                }
              });
}

}  // namespace troupe::mcp
