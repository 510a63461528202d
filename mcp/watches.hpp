// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who is to be told when a terminal's screen or journal changes. Both eras of MCP and any number
/// of listeners share one subscription of the daemon a terminal.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "mcp/daemon_link.hpp"

namespace troupe::mcp {

enum class View : std::uint8_t { screen, journal };

struct ResourceName {
  TerminalId terminal;
  View view = View::screen;
  auto operator<=>(const ResourceName&) const = default;
};

/// `troupe://terminal/ID/screen` and `…/journal`.
std::string to_uri(const ResourceName& name);
std::optional<ResourceName> parse_uri(std::string_view uri);

/// The legacy era has one listener, the connection.
inline const std::string connection_listener;

/// Threads: one.
/// Invariants: a terminal is followed in the daemon while anybody watches it, through restarts and
///   until it is closed.
/// Bounds: `max_watched` pairs of listener and resource. After `tell` the next one comes only once
///   the resource was read, so that a flood of output is one notification.
class Watches {
 public:
  static constexpr std::size_t max_watched = 1024;
  using Tell = std::function<void(const std::string& listener, const ResourceName&)>;

  Watches(DaemonLink& daemon, Tell tell) : daemon_(daemon), tell_(std::move(tell)) {}

  /// `limit` over the bound. The terminal must exist.
  Result<> add(const std::string& listener, const ResourceName& name);
  void remove(const std::string& listener, const ResourceName& name);
  void remove_all(const std::string& listener);
  void was_read(const ResourceName& name);
  [[nodiscard]] bool has(const std::string& listener, const ResourceName& name) const;
  [[nodiscard]] std::size_t room() const { return max_watched - watched_; }

 private:
  using Listeners = std::map<std::string, bool>;  ///< whether they were told since the last read

  Result<> follow(TerminalId id);
  void release(TerminalId id);
  void on_event(TerminalId id, const protocol::Response* event);
  void changed(const ResourceName& name, const protocol::Response* event);
  void drop_ended(TerminalId id, const protocol::Response& event);

  DaemonLink& daemon_;
  Tell tell_;
  std::map<TerminalId, client::RequestNumber> followed_;
  std::map<ResourceName, Listeners> listeners_;
  std::size_t watched_ = 0;
};

}  // namespace troupe::mcp
