// SPDX-License-Identifier: MIT
#include "remote/outlet.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace troupe::remote {

void Outlet::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (io_ != nullptr) {
    boost::asio::post(*io_, std::move(task));
  }
}

void Outlet::close() {
  {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
  }
  waiting_.clear();
}

void Outlet::hold(std::shared_ptr<void> waiting) {
  waiting_.insert(std::move(waiting));
}

std::shared_ptr<void> Outlet::release(const void* waiting) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const auto& held) { return held.get() == waiting; });
  if (found == waiting_.end()) {
    return nullptr;
  }
  auto held = *found;
  waiting_.erase(found);
  return held;
}

}  // namespace troupe::remote
