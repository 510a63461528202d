// SPDX-License-Identifier: MIT
#include "transport/framed_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <string_view>
#include <utility>

#include "protocol/frame_decoder.hpp"

namespace troupe::transport {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;
constexpr std::size_t read_chunk_bytes = 64U * 1024;
constexpr std::size_t max_buffers = 64;
constexpr std::size_t max_write_bytes = 256U * 1024;
// One busy connection gives way to the others after so many rounds.
constexpr int max_rounds = 8;

enum class ReadOutcome : std::uint8_t { more, wait, stop };

bool peer_is_gone(int fd) {
  pollfd probe{fd, 0, 0};
  return ::poll(&probe, 1, 0) > 0 && (probe.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

class FramedStream::Impl : public std::enable_shared_from_this<FramedStream::Impl> {
 public:
  Impl(boost::asio::io_context& io, UniqueFd socket)
      : descriptor_(io, socket.get()), fd_(socket.release()) {}

  void start(StreamHandler handler) {
    handler_ = std::move(handler);
    // A client sends its first request as it connects: often it is there before any poll.
    boost::asio::post(descriptor_.get_executor(),
                      [self = shared_from_this()] { self->on_readable(); });
  }

  void consumed(std::size_t bytes) {
    unconsumed_ -= bytes < unconsumed_ ? bytes : unconsumed_;
    if (paused_ && unconsumed_ < read_window_bytes) {
      paused_ = false;
      // Frames may wait in the decoder's input; deliver them outside the caller's stack.
      boost::asio::post(descriptor_.get_executor(),
                        [self = shared_from_this()] { self->on_readable(); });
    }
  }

  void expect_silence() {
    silent_ = true;
    if (!decoder_.at_boundary() || pending_at_ < pending_.size()) {
      boost::asio::post(descriptor_.get_executor(),
                        [self = shared_from_this()] { self->end(StreamEnd::fault); });
    }
  }

  void send(Lane lane, OutFrame frame) {
    if (closed_ || finishing_) {
      return;
    }
    queue_.push(lane, std::move(frame));
    schedule_write();
  }

  void flush() { write_posted(); }

  void finish() {
    finishing_ = true;
    schedule_write();
  }

  void close() {
    if (!closed_) {
      closed_ = true;
      boost::system::error_code ignored;
      descriptor_.close(ignored);
    }
    // The handler may hold the owner of this stream; it must not die under its own call.
    if (in_handler_ == 0) {
      handler_ = {};
    }
  }

  [[nodiscard]] const WriteQueue& queue() const { return queue_; }

 private:
  template <class Call>
  void notify(Call&& call) {
    if (closed_) {
      return;
    }
    ++in_handler_;
    call(handler_);
    --in_handler_;
    if (closed_ && in_handler_ == 0) {
      handler_ = {};
    }
  }

  // -- reading ------------------------------------------------------------------------------------

  void wait_readable() {
    if (closed_ || paused_) {
      return;
    }
    const auto what = half_closed_ ? Descriptor::wait_error : Descriptor::wait_read;
    descriptor_.async_wait(what, [self = shared_from_this()](const auto& error) {
      if (!error && !self->closed_) {
        self->half_closed_ ? self->on_hang_up() : self->on_readable();
      }
    });
  }

  void on_hang_up() {
    if (peer_is_gone(fd_)) {
      end(StreamEnd::closed);
    } else {
      wait_readable();
    }
  }

  void on_readable() {
    if (closed_ || half_closed_) {
      return;
    }
    ReadOutcome outcome = ReadOutcome::more;
    for (int round = 0; round < max_rounds && outcome == ReadOutcome::more; ++round) {
      outcome = read_once();
    }
    if (outcome != ReadOutcome::stop) {
      wait_readable();
    }
  }

  ReadOutcome read_once() {
    if (!deliver_pending()) {
      return ReadOutcome::stop;
    }
    static thread_local std::array<char, read_chunk_bytes> buffer;
    const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0 && silent_) {
      end(StreamEnd::fault);
      return ReadOutcome::stop;
    }
    if (got > 0) {
      pending_.assign(buffer.data(), static_cast<std::size_t>(got));
      pending_at_ = 0;
      if (!deliver_pending()) {
        return ReadOutcome::stop;
      }
      return static_cast<std::size_t>(got) < buffer.size() ? ReadOutcome::wait : ReadOutcome::more;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return ReadOutcome::wait;
    }
    if (got < 0 || peer_is_gone(fd_)) {
      end(StreamEnd::closed);
      return ReadOutcome::stop;
    }
    if (!decoder_.at_boundary()) {
      end(StreamEnd::fault);
      return ReadOutcome::stop;
    }
    half_closed_ = true;
    notify([](StreamHandler& handler) { handler.ended(StreamEnd::half_closed); });
    return closed_ ? ReadOutcome::stop : ReadOutcome::wait;
  }

  /// False when reading must stop: closed, or the owner is behind.
  bool deliver_pending() {
    while (!closed_) {
      if (unconsumed_ >= read_window_bytes) {
        paused_ = true;
        return false;
      }
      if (auto payload = decoder_.next()) {
        unconsumed_ += payload->size();
        notify([&](StreamHandler& handler) { handler.frame(std::move(*payload)); });
        continue;
      }
      if (decoder_.fault() != protocol::FrameFault::none) {
        end(StreamEnd::fault);
        return false;
      }
      if (pending_at_ == pending_.size()) {
        return true;
      }
      pending_at_ += decoder_.feed(std::string_view{pending_}.substr(pending_at_));
    }
    return false;
  }

  void end(StreamEnd how) {
    if (closed_) {
      return;
    }
    notify([how](StreamHandler& handler) { handler.ended(how); });
    // What is still queued cannot be delivered, or must not be.
    close();
  }

  // -- writing ------------------------------------------------------------------------------------

  void schedule_write() {
    if (closed_ || write_scheduled_) {
      return;
    }
    post_write();
  }

  void post_write() {
    write_scheduled_ = write_posted_ = true;
    boost::asio::post(descriptor_.get_executor(),
                      [self = shared_from_this()] { self->write_posted(); });
  }

  void write_posted() {
    if (std::exchange(write_posted_, false)) {
      write();
    }
  }

  void wait_writable() {
    write_scheduled_ = true;
    descriptor_.async_wait(Descriptor::wait_write, [self = shared_from_this()](const auto& error) {
      if (!error) {
        self->write();
      }
    });
  }

  void write() {
    write_scheduled_ = false;
    credits_.clear();
    bool blocked = false;
    for (int round = 0; round < max_rounds && !closed_ && !queue_.empty() && !blocked; ++round) {
      queue_.gather(buffers_, max_buffers, max_write_bytes);
      msghdr message{};
      message.msg_iov = buffers_.data();
      message.msg_iovlen = buffers_.size();
      const ssize_t sent = ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) {
        queue_.written(static_cast<std::size_t>(sent), credits_);
      } else if (errno == EAGAIN || errno == ENOBUFS) {
        blocked = true;
      } else if (errno != EINTR) {
        end(StreamEnd::closed);
        return;
      }
    }
    if (!credits_.empty()) {
      notify([&](StreamHandler& handler) { handler.written(credits_); });
    }
    after_write(blocked);
  }

  void after_write(bool blocked) {
    if (closed_ || write_scheduled_) {
      return;
    }
    if (!queue_.empty()) {
      blocked ? wait_writable() : post_write();
    } else if (finishing_) {
      notify([](StreamHandler& handler) { handler.finished(); });
      close();
    }
  }

  Descriptor descriptor_;
  int fd_;
  StreamHandler handler_;
  protocol::FrameDecoder decoder_;
  std::string pending_;
  std::size_t pending_at_ = 0;
  std::size_t unconsumed_ = 0;
  WriteQueue queue_;
  std::vector<iovec> buffers_;
  std::vector<LaneCredit> credits_;
  int in_handler_ = 0;
  bool paused_ = false;
  bool silent_ = false;
  bool half_closed_ = false;
  bool write_scheduled_ = false;
  bool write_posted_ = false;  // scheduled for the next round of the loop, or for `flush`
  bool finishing_ = false;
  bool closed_ = false;
};

FramedStream::FramedStream(boost::asio::io_context& io, UniqueFd socket)
    : impl_(std::make_shared<Impl>(io, std::move(socket))) {}
FramedStream::~FramedStream() {
  impl_->close();
}
void FramedStream::start(StreamHandler handler) {
  impl_->start(std::move(handler));
}
void FramedStream::consumed(std::size_t bytes) {
  impl_->consumed(bytes);
}
void FramedStream::expect_silence() {
  impl_->expect_silence();
}
void FramedStream::send(Lane lane, OutFrame frame) {
  impl_->send(lane, std::move(frame));
}
void FramedStream::flush() {
  const auto impl = impl_;  // the handler may destroy this
  impl->flush();
}
void FramedStream::finish() {
  impl_->finish();
}
void FramedStream::close() {
  impl_->close();
}
std::size_t FramedStream::queued_bytes() const {
  return impl_->queue().bytes();
}
std::size_t FramedStream::queued_bytes(Lane lane) const {
  return impl_->queue().lane_bytes(lane);
}

}  // namespace troupe::transport
