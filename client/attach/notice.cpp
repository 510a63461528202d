// SPDX-License-Identifier: MIT
#include "client/attach/notice.hpp"

#include <algorithm>
#include <utility>

namespace troupe::client {

using std::chrono::milliseconds;

void Notice::show(std::string what, Deadline now) {
  painter_.notice(std::move(what));
  until_ = now + shown_for;
}

bool Notice::end() {
  painter_.notice({});
  return std::exchange(until_, std::nullopt).has_value();
}

bool Notice::end_when_over(Deadline now) {
  return until_ && now >= *until_ && end();
}

int Notice::poll_timeout_ms(Deadline now) const {
  if (!until_) {
    return -1;
  }
  const auto left = std::chrono::ceil<milliseconds>(*until_ - now);
  return static_cast<int>(std::max(milliseconds::zero(), left).count());
}

}  // namespace troupe::client
