// SPDX-License-Identifier: MIT
#include "scenario/group.hpp"

#include <algorithm>

namespace troupe::scenario {
namespace {

/// A program that ignores signals is given its time by the daemon before it is killed.
constexpr std::chrono::milliseconds close_patience{60'000};

/// An empty text where the terminal is gone.
std::string close_one(client::Client& client, TerminalId id, Force force) {
  const auto ok = client.ask<protocol::reply::Ok>(
      protocol::request::Terminate{id, force == Force::yes}, close_patience);
  if (!ok) {
    return ok.error().code == Code::not_found ? std::string{} : ok.error().message;
  }
  std::string text;
  for (const std::int32_t pid : ok->survivors) {
    text += (text.empty() ? "these processes could not be ended: " : " ") + std::to_string(pid);
  }
  return text;
}

}  // namespace

Result<std::vector<protocol::TerminalInfo>> list_group(client::Client& client,
                                                       const std::string& scenario) {
  auto list = client.ask<protocol::reply::Terminals>(protocol::request::List{});
  if (!list) {
    return list.error();
  }
  std::vector<protocol::TerminalInfo> mine;
  const std::string group = group_of(scenario);
  std::copy_if(list->terminals.begin(), list->terminals.end(), std::back_inserter(mine),
               [&](const protocol::TerminalInfo& it) { return it.group_id == group; });
  return mine;
}

bool any_running(const std::vector<protocol::TerminalInfo>& terminals) {
  return std::any_of(terminals.begin(), terminals.end(), [](const protocol::TerminalInfo& it) {
    return std::holds_alternative<protocol::Running>(it.lifecycle);
  });
}

std::size_t close_all(client::Client& client, const std::vector<protocol::TerminalInfo>& terminals,
                      Force force, const Reporter& reporter) {
  std::size_t left = 0;
  for (auto terminal = terminals.rbegin(); terminal != terminals.rend(); ++terminal) {
    const std::string failure = close_one(client, terminal->id, force);
    if (failure.empty()) {
      reporter.closed(terminal->title, terminal->id);
    } else {
      ++left;
      reporter.error(terminal->title + ": " + failure);
    }
  }
  return left;
}

}  // namespace troupe::scenario
