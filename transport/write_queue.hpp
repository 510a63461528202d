// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What waits to be written to one socket, and in which order. A reply must not wait behind
/// megabytes of output, and one busy terminal must not starve the others on the same connection.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/shared_bytes.hpp"
#include "protocol/frame_encoder.hpp"

namespace troupe::transport {

/// A queue within a connection. `reply_lane` goes first; the others take turns.
using Lane = std::uint64_t;
inline constexpr Lane reply_lane = 0;

/// One frame: its header (with an output prefix, where it has one) and its shared payload.
struct OutFrame {
  protocol::FrameHeader header;
  SharedBytes payload;
  std::size_t credit = 0;  ///< reported when the frame is written; what the sender accounted for it
};

/// Credit of frames that are written, by lane.
struct LaneCredit {
  Lane lane = 0;
  std::size_t bytes = 0;
};

/// The lanes of one socket.
///
/// Threads: that of the stream.
/// Invariants: frames of a lane leave in order; a frame that was begun is finished first.
/// Bounds: none of its own; senders keep `lane_bytes` bounded by their windows.
/// Order: replies, then one frame of each lane in turn.
class WriteQueue {
 public:
  void push(Lane lane, OutFrame frame);
  [[nodiscard]] bool empty() const { return bytes_ == 0; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t lane_bytes(Lane lane) const;

  /// The next buffers to write, at most `max_buffers` and about `max_bytes`. Valid until `push` or
  /// `written`.
  void gather(std::vector<iovec>& buffers, std::size_t max_buffers, std::size_t max_bytes);
  /// The socket took so many bytes of what `gather` gave.
  void written(std::size_t bytes, std::vector<LaneCredit>& credits);

 private:
  struct Queued {
    Lane lane = 0;
    OutFrame frame;
    std::size_t done = 0;  // bytes of header and payload that are written
    [[nodiscard]] std::size_t size() const {
      return frame.header.view().size() + frame.payload.size();
    }
  };
  struct Queue {
    std::deque<OutFrame> frames;
    std::size_t bytes = 0;
  };

  bool stage_next();

  std::unordered_map<Lane, Queue> lanes_;
  std::deque<Lane> turns_;     // lanes with frames, without the reply lane
  std::deque<Queued> staged_;  // chosen, in the order of writing
  std::size_t bytes_ = 0;
};

}  // namespace troupe::transport
