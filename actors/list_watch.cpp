// SPDX-License-Identifier: MIT
#include "actors/list_watch.hpp"

namespace troupe::actors {

namespace reply = protocol::reply;

void ListWatch::wait(const ReplyTo& to, const protocol::request::TerminalsWait& wait,
                     std::int64_t now_ms) {
  if (wait.revision != revision_) {
    to(reply::TerminalsChanged{revision_, false});
    return;
  }
  if (wait.timeout_ms == 0) {
    to(reply::TerminalsChanged{revision_, true});
    return;
  }
  const std::int64_t due_ms = now_ms + wait.timeout_ms;
  waiting_.emplace(to.key, Waiting{to, due_ms});
  due_.emplace(due_ms, to.key);
}

void ListWatch::cancel(RequestKey key) {
  if (const auto node = waiting_.extract(key); !node.empty()) {
    due_.erase({node.mapped().due_ms, key});
  }
}

void ListWatch::changed() {
  ++revision_;
  due_.clear();
  for (const auto& [key, waiting] : std::exchange(waiting_, {})) {
    waiting.to(reply::TerminalsChanged{revision_, false});
  }
}

void ListWatch::expire(std::int64_t now_ms) {
  while (!due_.empty() && due_.begin()->first <= now_ms) {
    const auto node = waiting_.extract(due_.begin()->second);
    due_.erase(due_.begin());
    node.mapped().to(reply::TerminalsChanged{revision_, true});
  }
}

void ListWatch::give_up(const Error& cause) {
  due_.clear();
  for (const auto& [key, waiting] : std::exchange(waiting_, {})) {
    waiting.to(reply::Error{cause});
  }
}

std::optional<std::int64_t> ListWatch::deadline_ms() const {
  return due_.empty() ? std::nullopt : std::optional{due_.begin()->first};
}

}  // namespace troupe::actors
