// SPDX-License-Identifier: MIT
#include "pty/pty_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

namespace troupe::pty {

namespace {

using boost::asio::posix::stream_descriptor;

// One for the thread, not one for each terminal: what was read is copied out at once.
std::array<char, max_chunk_bytes>& scratch() {
  static thread_local std::array<char, max_chunk_bytes> buffer;
  return buffer;
}

bool would_block(int error) {
  return error == EAGAIN;  // on Linux the same number as EWOULDBLOCK
}

}  // namespace

PtyStream::PtyStream(boost::asio::io_context& io, UniqueFd master)
    : io_(io), master_(io, master.release()) {}

int PtyStream::fd() {
  return master_.is_open() ? master_.native_handle() : -1;
}

void PtyStream::start(ChannelHandler handler) {
  handler_ = std::make_shared<const ChannelHandler>(std::move(handler));
  schedule();
}

void PtyStream::consumed(std::size_t chunks) {
  buffer_.consumed(chunks);
  // While the wait stands there is nothing to read.
  if (!waiting_readable_ || !buffer_.empty()) {
    schedule();
  }
}

void PtyStream::schedule() {
  if (!std::exchange(scheduled_, true)) {
    boost::asio::post(io_, [self = shared_from_this()] {
      self->scheduled_ = false;
      self->pump();
    });
  }
}

void PtyStream::emit(ChannelEvent event) {
  // A copy: the handler may close this stream, and must live until it returns.
  if (const auto handler = handler_) {
    (*handler)(std::move(event));
  }
}

void PtyStream::pump() {
  if (handler_ == nullptr) {
    return;
  }
  for (auto& written : std::exchange(written_, {})) {
    emit(written);
  }
  if (ended_ || handler_ == nullptr) {
    return;
  }
  auto result = read();
  deliver();
  if (handler_ == nullptr) {
    return;
  }
  if (result == Read::over || end_asked_) {
    // All that was gathered fits the credit: it is one chunk and less than all were out.
    if (!buffer_.empty()) {
      emit(Data{buffer_.take()});
    }
    finish();
  } else if (result == Read::dry) {
    wait_readable();
  } else if (buffer_.room() > 0) {
    // More may be there. Not in this turn: other terminals have theirs.
    schedule();
  }
}

PtyStream::Read PtyStream::read() {
  auto& buffer = scratch();
  while (buffer_.room() > 0) {
    const int fd = this->fd();
    const auto count =
        fd < 0 ? 0 : ::read(fd, buffer.data(), std::min(buffer.size(), buffer_.room()));
    if (count > 0) {
      // The kernel gives at most 4 KiB at a time: go on while there is more.
      buffer_.append({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count == 0) {
      return Read::over;
    } else if (would_block(errno)) {
      return Read::dry;
    } else if (errno != EINTR) {
      read_error_ = errno == EIO ? 0 : errno;
      return Read::over;
    }
  }
  return Read::full;
}

void PtyStream::deliver() {
  if (buffer_.due()) {
    emit(Data{buffer_.take()});
  }
}

void PtyStream::wait_readable() {
  if (std::exchange(waiting_readable_, true)) {
    return;
  }
  master_.async_wait(stream_descriptor::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->waiting_readable_ = false;
                       if (error != boost::asio::error::operation_aborted) {
                         self->pump();
                       }
                     });
}

void PtyStream::finish() {
  ended_ = true;
  for (auto& written : queue_.abandon()) {
    emit(written);
  }
  if (read_error_ != 0) {
    emit(Failed{{Code::io, "cannot read from the terminal: " +
                               std::generic_category().message(read_error_)}});
  }
  boost::system::error_code ignored;
  if (end_asked_) {
    master_.close(ignored);
  } else if (master_.is_open()) {
    master_.cancel(ignored);
  }
  emit(EndOfStream{.forced = end_asked_});
}

Result<> PtyStream::write(std::string bytes, WriteId id) {
  if (ended_ || end_asked_ || !master_.is_open()) {
    return Error{Code::exited, "the terminal has ended"};
  }
  if (!queue_.push(std::move(bytes), id)) {
    return Error{Code::busy, "the terminal's input queue is full"};
  }
  if (!waiting_writable_) {
    flush();
  }
  return success();
}

void PtyStream::flush() {
  while (!queue_.empty() && master_.is_open()) {
    const auto next = queue_.front();
    const auto count = next.empty() ? 0 : ::write(fd(), next.data(), next.size());
    if (count > 0 || next.empty()) {
      const auto complete = queue_.taken(static_cast<std::size_t>(count));
      written_.insert(written_.end(), complete.begin(), complete.end());
    } else if (count == 0 || would_block(errno)) {
      wait_writable();
      break;
    } else if (errno != EINTR) {
      // Nobody has the slave open: what is queued has no reader. The read side tells the end.
      const auto lost = queue_.abandon();
      written_.insert(written_.end(), lost.begin(), lost.end());
    }
  }
  if (!written_.empty()) {
    schedule();
  }
}

void PtyStream::wait_writable() {
  waiting_writable_ = true;
  master_.async_wait(stream_descriptor::wait_write,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->waiting_writable_ = false;
                       if (error != boost::asio::error::operation_aborted) {
                         self->flush();
                       }
                     });
}

void PtyStream::drain() {
  pump();
}

void PtyStream::end() {
  end_asked_ = true;
  schedule();
}

void PtyStream::hang_up() {
  boost::system::error_code ignored;
  master_.close(ignored);
  schedule();
}

void PtyStream::close() {
  handler_ = nullptr;
  boost::system::error_code ignored;
  master_.close(ignored);
}

}  // namespace troupe::pty
