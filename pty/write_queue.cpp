// SPDX-License-Identifier: MIT
#include "pty/write_queue.hpp"

#include <cassert>
#include <utility>

namespace troupe::pty {

bool WriteQueue::push(std::string bytes, WriteId id) {
  if (bytes.size() > write_queue_bytes - bytes_ || writes_.size() >= write_queue_bytes / 64) {
    return false;
  }
  bytes_ += bytes.size();
  writes_.push_back({std::move(bytes), id});
  return true;
}

std::string_view WriteQueue::front() const {
  return std::string_view(writes_.front().bytes).substr(offset_);
}

std::vector<Written> WriteQueue::taken(std::size_t count) {
  assert(!writes_.empty() && count <= front().size());
  std::vector<Written> complete;
  offset_ += count;
  bytes_ -= count;
  while (!writes_.empty() && offset_ == writes_.front().bytes.size()) {
    if (writes_.front().id != 0) {
      complete.push_back({writes_.front().id, offset_, true});
    }
    writes_.pop_front();
    offset_ = 0;
  }
  if (writes_.empty()) {
    writes_ = {};
  }
  return complete;
}

std::vector<Written> WriteQueue::abandon() {
  std::vector<Written> result;
  for (const auto& write : std::exchange(writes_, {})) {
    if (write.id != 0) {
      result.push_back({write.id, std::exchange(offset_, 0), write.bytes.empty()});
    }
    offset_ = 0;
  }
  bytes_ = 0;
  return result;
}

}  // namespace troupe::pty
