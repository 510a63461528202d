// SPDX-License-Identifier: MIT
#include "transport/connector.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/unix_address.hpp"

namespace troupe::transport {
namespace {

Error connect_error(const std::string& path) {
  Code code = Code::io;
  if (errno == ENOENT || errno == ECONNREFUSED) {
    code = Code::not_found;
  } else if (errno == EAGAIN || errno == EINPROGRESS || errno == ETIMEDOUT) {
    code = Code::timeout;
  }
  return {code, "cannot connect to " + path + ": " + std::strerror(errno)};
}

}  // namespace

Result<UniqueFd> connect(const std::string& path, std::chrono::milliseconds timeout) {
  const Result<UnixAddress> address = unix_address(path);
  if (!address) {
    return address.error();
  }
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!socket) {
    return connect_error(path);
  }
  // A full backlog blocks connect(2); the send timeout bounds it, and no polling is needed.
  const timeval limit{static_cast<time_t>(timeout.count() / 1000),
                      static_cast<suseconds_t>(timeout.count() % 1000 * 1000)};
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int result = 0;
  do {
    result = ::connect(socket.get(), address->get(), address->size());
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    return connect_error(path);
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != ::geteuid()) {
    return Error{Code::io, "the socket " + path + " is served by another user"};
  }
  const int flags = ::fcntl(socket.get(), F_GETFL);
  if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return connect_error(path);
  }
  return socket;
}

}  // namespace troupe::transport
