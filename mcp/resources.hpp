// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Terminals as MCP resources: `troupe://terminal/ID/screen` and `…/journal`.

#include <functional>
#include <string_view>

#include "mcp/daemon_link.hpp"
#include "mcp/rpc.hpp"
#include "mcp/watches.hpp"

namespace troupe::mcp {

/// `resources/*`, the legacy era's subscriptions among them.
///
/// Threads: one.
class Resources {
 public:
  using Answer = std::function<void(Json result, const Refusal* refusal)>;

  Resources(DaemonLink& daemon, Watches& watches) : daemon_(daemon), watches_(watches) {}

  /// Handles `resources/*`; false for another method.
  bool answer(std::string_view method, const Json& params, const Answer& answer);

 private:
  void list(const Answer& answer);
  void read(const ResourceName& name, const Answer& answer);
  void subscribe(const ResourceName& name, const Answer& answer);

  DaemonLink& daemon_;
  Watches& watches_;
};

}  // namespace troupe::mcp
