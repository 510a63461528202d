// SPDX-License-Identifier: MIT
#include "mcp/watches.hpp"

#include <utility>
#include <vector>

#include "mcp/arguments.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace event = protocol::event;

constexpr std::string_view scheme = "troupe://terminal/";
constexpr std::size_t instance_id_bytes = 12;

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
  const auto id = parse_instance_id(uri.substr(0, instance_id_bytes));
  const std::string_view view = uri.size() > instance_id_bytes ? uri.substr(instance_id_bytes) : "";
  if (!id || (view != "/screen" && view != "/journal")) {
    return std::nullopt;
  }
  return ResourceName{*id, view == "/screen" ? View::screen : View::journal};
}

Result<> Watches::add(const std::string& listener, const ResourceName& name) {
  if (has(listener, name)) {
    listeners_[name][listener] = false;  // who asks again wants to hear again
    return success();
  }
  if (room() == 0) {
    return Error{Code::limit, "too many subscriptions: at most " + std::to_string(max_watched) +
                                  " resources are watched at once"};
  }
  if (followed_.count(name.terminal) == 0) {
    if (auto followed = follow(name.terminal); !followed) {
      return followed;
    }
  }
  listeners_[name].emplace(listener, false);
  ++watched_;
  return success();
}

Result<> Watches::follow(TerminalId id) {
  request::Subscribe subscribe;
  subscribe.id = id;
  subscribe.attachment_id = "mcp-" + instance_id(id);
  subscribe.journal = true;
  subscribe.resync = true;
  subscribe.child_events =
      true;  // or the stream would end with the program, which may be restarted
  subscribe.history_rows = 0;
  const auto number =
      daemon_.subscribe(subscribe, [this, id](const auto* event) { on_event(id, event); });
  if (number == 0) {
    return Error{Code::io, "the daemon cannot be reached"};
  }
  followed_[id] = number;
  return success();
}

void Watches::remove(const std::string& listener, const ResourceName& name) {
  const auto at = listeners_.find(name);
  if (at == listeners_.end() || at->second.erase(listener) == 0) {
    return;
  }
  --watched_;
  if (at->second.empty()) {
    listeners_.erase(at);
    release(name.terminal);
  }
}

void Watches::remove_all(const std::string& listener) {
  std::vector<ResourceName> names;
  for (const auto& [name, listeners] : listeners_) {
    if (listeners.count(listener) != 0) {
      names.push_back(name);
    }
  }
  for (const ResourceName& name : names) {
    remove(listener, name);
  }
}

void Watches::release(TerminalId id) {
  if (listeners_.count({id, View::screen}) == 0 && listeners_.count({id, View::journal}) == 0) {
    if (const auto node = followed_.extract(id); !node.empty()) {
      daemon_.cancel(node.mapped());
    }
  }
}

void Watches::was_read(const ResourceName& name) {
  if (const auto at = listeners_.find(name); at != listeners_.end()) {
    for (auto& [listener, told] : at->second) {
      told = false;
    }
  }
}

bool Watches::has(const std::string& listener, const ResourceName& name) const {
  const auto at = listeners_.find(name);
  return at != listeners_.end() && at->second.count(listener) != 0;
}

void Watches::on_event(TerminalId id, const protocol::Response* event) {
  changed({id, View::screen}, event);
  changed({id, View::journal}, event);
  if (event != nullptr) {
    drop_ended(id, *event);
  }
}

void Watches::changed(const ResourceName& name, const protocol::Response* event) {
  const auto at = listeners_.find(name);
  if (at == listeners_.end()) {
    return;
  }
  const bool of_commands =
      event != nullptr && (std::holds_alternative<event::CommandStarted>(*event) ||
                           std::holds_alternative<event::CommandFinished>(*event));
  const bool first = event != nullptr && std::holds_alternative<protocol::reply::Attached>(*event);
  if (first || of_commands != (name.view == View::journal)) {
    return;
  }
  for (auto& [listener, told] : at->second) {
    if (!std::exchange(told, true)) {
      tell_(listener, name);
    }
  }
}

void Watches::drop_ended(TerminalId id, const protocol::Response& event) {
  const auto* ended = std::get_if<event::Ended>(&event);
  const bool by_us = ended != nullptr && (ended->reason == protocol::EndReason::replaced ||
                                          ended->reason == protocol::EndReason::cancelled);
  if (by_us || (ended == nullptr && !std::holds_alternative<protocol::reply::Error>(event))) {
    return;  // one that was replaced has a newer one in its place
  }
  followed_.erase(id);
  for (const View view : {View::screen, View::journal}) {
    if (const auto node = listeners_.extract({id, view}); !node.empty()) {
      watched_ -= node.mapped().size();
    }
  }
}

}  // namespace troupe::mcp
