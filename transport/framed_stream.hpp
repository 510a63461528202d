// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One connection's socket as a stream of frames, in both directions, never blocking.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "transport/write_queue.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::transport {

/// How the peer's side of a stream ended.
enum class StreamEnd : std::uint8_t {
  half_closed,  ///< it will send no more, but may still read
  closed,       ///< it is gone, or the socket failed
  fault,        ///< what it sent is no frame
};

/// What a stream tells its owner. Called on the io thread, never inside a call to the stream other
/// than `flush`.
struct StreamHandler {
  std::function<void(std::string payload)> frame;
  /// `half_closed` may be followed by `closed`; nothing follows the other two.
  std::function<void(StreamEnd end)> ended;
  /// Frames with credit were written to the socket.
  std::function<void(const std::vector<LaneCredit>& credits)> written;
  /// After `finish()`: everything is written, the socket is closed.
  std::function<void()> finished;
};

/// A framed duplex stream.
///
/// Threads: only the io thread.
/// Ownership: owns its socket. Destroying or closing it drops the handler: no call comes later.
/// Bounds: stops reading while more than `read_window_bytes` of delivered frames are not yet
///   `consumed()`, so at most that plus one frame is held; the write queue is bounded by the
///   windows of those who send.
/// Order: frames in order of arrival; writes as in `WriteQueue`.
class FramedStream {
 public:
  static constexpr std::size_t read_window_bytes = 1024U * 1024;

  FramedStream(boost::asio::io_context& io, UniqueFd socket);
  FramedStream(const FramedStream&) = delete;
  FramedStream& operator=(const FramedStream&) = delete;
  ~FramedStream();

  /// Begins to read. Call once.
  void start(StreamHandler handler);
  /// The owner is done with `bytes` of delivered payloads.
  void consumed(std::size_t bytes);
  /// The peer has nothing more to say: any byte of it is a fault.
  void expect_silence();
  void send(Lane lane, OutFrame frame);
  /// Writes at once what was sent, as far as the socket takes it, instead of in the next round of
  /// the loop. Calls the handler, which may destroy the stream.
  void flush();
  /// Closes once everything that was sent is written.
  void finish();
  /// Closes at once.
  void close();

  [[nodiscard]] std::size_t queued_bytes() const;
  [[nodiscard]] std::size_t queued_bytes(Lane lane) const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe::transport
