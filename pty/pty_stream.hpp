// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The bytes of a PTY master: reads by credit, queued writes, the end of the stream.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "pty/channel.hpp"
#include "pty/chunk_buffer.hpp"
#include "pty/write_queue.hpp"

namespace troupe::pty {

/// Emits `Data`, `Written`, `EndOfStream` and `Failed`. EIO, with which Linux says that nobody has
/// the slave open, is an ordinary end.
///
/// Threads: only the io thread. The handler is never called inside a call, but for `drain()`.
/// Ownership: owns the master; shared so that pending handlers can outlive the channel. After
///   `close()` nothing is emitted.
class PtyStream : public std::enable_shared_from_this<PtyStream> {
 public:
  PtyStream(boost::asio::io_context& io, UniqueFd master);

  void start(ChannelHandler handler);
  void consumed(std::size_t chunks);
  Result<> write(std::string bytes, WriteId id);
  [[nodiscard]] std::size_t queued_bytes() const { return queue_.bytes(); }
  /// Delivers what is there now, as far as there is credit. Not for use inside a handler.
  void drain();
  /// Delivers what is there now, then ends.
  void end();
  /// Hangs up and falls silent.
  void close();
  /// Hangs up; the stream ends as if by itself.
  void hang_up();
  [[nodiscard]] bool ended() const { return ended_; }
  /// -1 once it is closed.
  [[nodiscard]] int fd();

 private:
  enum class Read : std::uint8_t { dry, full, over };

  void schedule();
  void pump();
  Read read();
  void deliver();
  void finish();
  void wait_readable();
  void flush();
  void wait_writable();
  void emit(ChannelEvent event);

  boost::asio::io_context& io_;
  boost::asio::posix::stream_descriptor master_;
  std::shared_ptr<const ChannelHandler> handler_;
  ChunkBuffer buffer_;
  WriteQueue queue_;
  std::vector<Written> written_;  ///< to be told by the next pump
  int read_error_ = 0;
  bool scheduled_ = false;
  bool waiting_readable_ = false;
  bool waiting_writable_ = false;
  bool end_asked_ = false;
  bool ended_ = false;
};

}  // namespace troupe::pty
