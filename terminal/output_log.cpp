// SPDX-License-Identifier: MIT
#include "terminal/output_log.hpp"

#include <algorithm>
#include <string>

namespace troupe::terminal {

OutputLog::OutputLog(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

void OutputLog::append(std::string_view bytes) {
  // Until the ring is full the offset of a byte is its index, so it only grows at its end.
  const std::size_t fresh = std::min(bytes.size(), capacity_ - ring_.size());
  ring_.append(bytes.substr(0, fresh));
  tail_ += fresh;
  bytes.remove_prefix(fresh);
  if (bytes.size() > capacity_) {
    tail_ += bytes.size() - capacity_;
    bytes.remove_prefix(bytes.size() - capacity_);
  }
  while (!bytes.empty()) {
    const auto index = static_cast<std::size_t>(tail_ % capacity_);
    const std::size_t count = std::min(bytes.size(), capacity_ - index);
    std::copy_n(bytes.begin(), count, ring_.begin() + static_cast<std::ptrdiff_t>(index));
    tail_ += count;
    bytes.remove_prefix(count);
  }
}

Result<ReplaySlice> OutputLog::read(StreamOffset offset) const {
  if (offset > tail_) {
    return Error{Code::bad_request, "requested offset " + std::to_string(offset) +
                                        " is beyond tail " + std::to_string(tail_)};
  }
  ReplaySlice slice;
  slice.truncated = offset < head();
  slice.available_offset = std::max(offset, head());
  slice.end_offset = tail_;
  const auto count = static_cast<std::size_t>(tail_ - slice.available_offset);
  const auto index = static_cast<std::size_t>(slice.available_offset % capacity_);
  const std::size_t first = std::min(count, ring_.size() - std::min(index, ring_.size()));
  slice.bytes.reserve(count);
  slice.bytes.append(ring_, index, first);
  slice.bytes.append(ring_, 0, count - first);
  return slice;
}

}  // namespace troupe::terminal
