// SPDX-License-Identifier: MIT
#include "actors/decisions/turnovers.hpp"

#include <utility>
#include <variant>

namespace troupe::actors {

bool Turnovers::hold(RequestKey key, protocol::Request& request) {
  const auto id = protocol::terminal_of(request);
  if (!id) {
    return false;
  }
  const bool ends = std::holds_alternative<protocol::request::Terminate>(request);
  const auto at = turnovers_.find(*id);
  if (at != turnovers_.end() && (!ends || at->second.terminate)) {
    at->second.held.push_back({key, std::move(request)});
    return true;
  }
  if (ends) {
    turnovers_[*id].terminate = key;
  } else if (std::holds_alternative<protocol::request::Restart>(request)) {
    turnovers_[*id].restart = key;
  }
  return false;
}

std::vector<Turnovers::Held> Turnovers::answered(TerminalId terminal, RequestKey key) {
  const auto at = turnovers_.find(terminal);
  if (at == turnovers_.end()) {
    return {};
  }
  Turnover& turnover = at->second;
  for (auto* const unanswered : {&turnover.terminate, &turnover.restart}) {
    if (*unanswered == key) {
      unanswered->reset();
    }
  }
  if (turnover.terminate || turnover.restart) {
    return {};
  }
  auto held = std::move(turnover.held);
  turnovers_.erase(at);
  return held;
}

}  // namespace troupe::actors
