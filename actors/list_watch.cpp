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
  waiting_.add(to, now_ms + wait.timeout_ms);
}

void ListWatch::changed() {
  ++revision_;
  for (const ReplyTo& to : waiting_.take_all()) {
    to(reply::TerminalsChanged{revision_, false});
  }
}

void ListWatch::expire(std::int64_t now_ms) {
  for (const ReplyTo& to : waiting_.take_due(now_ms)) {
    to(reply::TerminalsChanged{revision_, true});
  }
}

void ListWatch::give_up(const Error& cause) {
  for (const ReplyTo& to : waiting_.take_all()) {
    to(reply::Error{cause});
  }
}

}  // namespace troupe::actors
