// SPDX-License-Identifier: MIT
#include "transport/write_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::transport;

namespace {

OutFrame frame(const std::string& payload, std::size_t credit = 0) {
  return {protocol::control_header(payload.size()), SharedBytes{payload}, credit};
}

/// Writes all of the queue, `step` bytes at a time.
std::string drain(WriteQueue& queue, std::size_t step, std::vector<LaneCredit>& credits) {
  std::string wire;
  std::vector<iovec> buffers;
  while (!queue.empty()) {
    queue.gather(buffers, 64, 1 << 20);
    std::string offered;
    for (const iovec& buffer : buffers) {
      offered.append(static_cast<const char*>(buffer.iov_base), buffer.iov_len);
    }
    std::size_t const part = std::min(step, offered.size());
    wire += offered.substr(0, part);
    queue.written(part, credits);
  }
  return wire;
}

std::string wire_of(const std::vector<std::string>& payloads) {
  std::string wire;
  for (const std::string& payload : payloads) {
    wire += protocol::control_frame(payload);
  }
  return wire;
}

}  // namespace

TEST_CASE("write_queue: replies go first and lanes take turns") {  // T-10
  WriteQueue queue;
  queue.push(7, frame("a1"));
  queue.push(7, frame("a2"));
  queue.push(7, frame("a3"));
  queue.push(8, frame("b1"));
  queue.push(reply_lane, frame("r"));
  std::vector<LaneCredit> credits;
  CHECK(drain(queue, 1 << 20, credits) == wire_of({"r", "a1", "b1", "a2", "a3"}));
}

TEST_CASE("write_queue: a frame that was begun is finished before a reply") {  // T-10
  WriteQueue queue;
  queue.push(7, frame("first"));
  queue.push(7, frame("second"));
  std::vector<iovec> buffers;
  queue.gather(buffers, 2, 1);
  std::vector<LaneCredit> credits;
  queue.written(3, credits);
  queue.push(reply_lane, frame("r"));
  CHECK(drain(queue, 1 << 20, credits) == wire_of({"first", "r", "second"}).substr(3));
}

TEST_CASE("write_queue: the bytes are the same however the socket takes them") {
  for (std::size_t step = 1; step < 40; ++step) {
    WriteQueue queue;
    queue.push(7, frame("hello", 5));
    queue.push(7, frame("?", 1));
    queue.push(8, frame("world!", 6));
    CHECK(queue.bytes() == 3 * 4 + 12);
    std::vector<LaneCredit> credits;
    CHECK(drain(queue, step, credits) == wire_of({"hello", "world!", "?"}));
    std::size_t total = 0;
    for (const LaneCredit& credit : credits) {
      total += credit.bytes;
    }
    CHECK(total == 12);
    CHECK(queue.lane_bytes(7) == 0);
  }
}
