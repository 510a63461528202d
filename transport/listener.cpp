// SPDX-License-Identifier: MIT
#include "transport/listener.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "transport/unix_address.hpp"

namespace troupe::transport {
namespace {

constexpr int backlog = 4096;
constexpr int max_accepts_in_a_row = 64;
constexpr std::chrono::milliseconds retry_delay{50};

Error io_error(const std::string& what, const std::string& path) {
  return {Code::io, what + " " + path + ": " + std::strerror(errno)};
}

// Root is let in: it could take the token, or the daemon, in any case.
bool may_connect(int fd) {
  sockaddr_storage own{};
  socklen_t own_size = sizeof own;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_size) != 0) {
    return false;
  }
  if (own.ss_family != AF_UNIX) {
    return true;  // it has no owner that the kernel would tell
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

}  // namespace

class Listener::Impl : public std::enable_shared_from_this<Listener::Impl> {
 public:
  Impl(boost::asio::io_context& io, UniqueFd socket)
      : descriptor_(io, socket.get()), fd_(socket.release()), retry_(io) {}

  void start(Accepted accepted) {
    accepted_ = std::move(accepted);
    wait();
  }

  void close() {
    if (!closed_) {
      closed_ = true;
      boost::system::error_code ignored;
      descriptor_.close(ignored);
      retry_.cancel();
    }
  }

 private:
  void wait() {
    if (closed_) {
      return;
    }
    descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](const auto& error) {
                             if (!error) {
                               self->accept_some();
                             }
                           });
  }

  void accept_some() {
    for (int i = 0; i < max_accepts_in_a_row && !closed_; ++i) {
      UniqueFd peer{::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (!peer) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          return retry_later();
        }
        if (errno == EAGAIN) {
          break;
        }
        continue;  // the peer left before it was accepted
      }
      if (may_connect(peer.get())) {
        accepted_(std::move(peer));
      }
    }
    wait();
  }

  void retry_later() {
    retry_.expires_after(retry_delay);
    retry_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error) {
        self->accept_some();
      }
    });
  }

  boost::asio::posix::stream_descriptor descriptor_;
  int fd_;
  boost::asio::steady_timer retry_;
  Accepted accepted_;
  bool closed_ = false;
};

Result<std::unique_ptr<Listener>> Listener::open(boost::asio::io_context& io,
                                                 const std::string& path) {
  const Result<UnixAddress> address = unix_address(path);
  if (!address) {
    return address.error();
  }
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!socket) {
    return io_error("cannot create a socket for", path);
  }
  // chmod after bind would leave a moment in which others could connect.
  const mode_t mask = ::umask(0177);
  const int bound = ::bind(socket.get(), address->get(), address->size());
  ::umask(mask);
  if (bound != 0) {
    return io_error("cannot bind", path);
  }
  if (::listen(socket.get(), backlog) != 0) {
    return io_error("cannot listen at", path);
  }
  return std::unique_ptr<Listener>(new Listener(std::make_shared<Impl>(io, std::move(socket))));
}

std::unique_ptr<Listener> Listener::adopt(boost::asio::io_context& io, UniqueFd listening) {
  return std::unique_ptr<Listener>(new Listener(std::make_shared<Impl>(io, std::move(listening))));
}

Listener::Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() {
  impl_->close();
}
void Listener::start(Accepted accepted) {
  impl_->start(std::move(accepted));
}
void Listener::close() {
  impl_->close();
}

}  // namespace troupe::transport
