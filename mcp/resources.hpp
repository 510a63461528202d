// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Terminals as MCP resources: `troupe://terminal/ID/screen` and `…/journal`, with update
/// notifications for those that a client subscribed to.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/daemon_link.hpp"
#include "mcp/rpc.hpp"

namespace troupe::mcp {

enum class View : std::uint8_t { screen, journal };

struct ResourceName {
  TerminalId terminal;
  View view = View::screen;
  auto operator<=>(const ResourceName&) const = default;
};

std::string to_uri(const ResourceName& name);
std::optional<ResourceName> parse_uri(std::string_view uri);

/// Threads: one.
/// Bounds: after an update notification the next one comes only once the client has read the
///   resource, so that a flood of output is one notification. At most `max_watched` subscriptions.
class Resources {
 public:
  using Answer = std::function<void(Json result, const Refusal* refusal)>;

  Resources(DaemonLink& daemon, std::function<void(std::string)> send)
      : daemon_(daemon), send_(std::move(send)) {}

  /// Handles `resources/*`; false for another method.
  bool answer(std::string_view method, const Json& params, const Answer& answer);

 private:
  struct Watch {
    client::RequestNumber subscription = 0;
    bool told = false;
  };

  void list(const Answer& answer);
  void read(const ResourceName& name, const Answer& answer);
  void subscribe(const ResourceName& name, const Answer& answer);
  void unsubscribe(const ResourceName& name);
  void drop_ended(TerminalId id, const protocol::Response& event);
  void changed(const ResourceName& name, const protocol::Response* event);

  DaemonLink& daemon_;
  std::function<void(std::string)> send_;
  std::map<ResourceName, Watch> watched_;
};

}  // namespace troupe::mcp
