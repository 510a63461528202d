// SPDX-License-Identifier: MIT
#include "transport/write_queue.hpp"

#include <algorithm>
#include <utility>

namespace troupe::transport {
namespace {

std::size_t frame_bytes(const OutFrame& frame) {
  return frame.header.view().size() + frame.payload.size();
}

void add_buffer(std::vector<iovec>& buffers, std::string_view bytes) {
  if (!bytes.empty()) {
    // writev's iovec is not const, but it only reads.
    buffers.push_back({const_cast<char*>(bytes.data()), bytes.size()});
  }
}

void credit_lane(std::vector<LaneCredit>& credits, Lane lane, std::size_t bytes) {
  for (LaneCredit& credit : credits) {
    if (credit.lane == lane) {
      credit.bytes += bytes;
      return;
    }
  }
  credits.push_back({lane, bytes});
}

}  // namespace

void WriteQueue::push(Lane lane, OutFrame frame) {
  std::size_t const size = frame_bytes(frame);
  Queue& queue = lanes_[lane];
  if (queue.frames.empty() && lane != reply_lane) {
    turns_.push_back(lane);
  }
  queue.bytes += size;
  bytes_ += size;
  queue.frames.push_back(std::move(frame));
}

std::size_t WriteQueue::lane_bytes(Lane lane) const {
  const auto at = lanes_.find(lane);
  return at == lanes_.end() ? 0 : at->second.bytes;
}

bool WriteQueue::stage_next() {
  Lane lane = reply_lane;
  auto at = lanes_.find(reply_lane);
  if (at == lanes_.end() || at->second.frames.empty()) {
    if (turns_.empty()) {
      return false;
    }
    lane = turns_.front();
    turns_.pop_front();
    at = lanes_.find(lane);
  }
  std::deque<OutFrame>& frames = at->second.frames;
  staged_.push_back({lane, std::move(frames.front()), 0});
  frames.pop_front();
  if (!frames.empty() && lane != reply_lane) {
    turns_.push_back(lane);
  }
  return true;
}

void WriteQueue::gather(std::vector<iovec>& buffers, std::size_t max_buffers,
                        std::size_t max_bytes) {
  buffers.clear();
  std::size_t total = 0;
  std::size_t index = 0;
  while (buffers.size() + 2 <= max_buffers && total < max_bytes) {
    if (index == staged_.size() && !stage_next()) {
      return;
    }
    const Queued& item = staged_[index++];
    std::string_view const header = item.frame.header.view();
    std::size_t const header_done = std::min(item.done, header.size());
    add_buffer(buffers, header.substr(header_done));
    add_buffer(buffers, item.frame.payload.view().substr(item.done - header_done));
    total += item.size() - item.done;
  }
}

void WriteQueue::written(std::size_t bytes, std::vector<LaneCredit>& credits) {
  bytes_ -= bytes;
  while (bytes > 0) {
    Queued& item = staged_.front();
    std::size_t const part = std::min(bytes, item.size() - item.done);
    item.done += part;
    bytes -= part;
    const auto at = lanes_.find(item.lane);
    at->second.bytes -= part;
    if (item.done < item.size()) {
      return;
    }
    if (item.frame.credit > 0) {
      credit_lane(credits, item.lane, item.frame.credit);
    }
    if (at->second.bytes == 0) {
      lanes_.erase(at);
    }
    staged_.pop_front();
  }
}

}  // namespace troupe::transport
