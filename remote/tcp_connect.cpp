// SPDX-License-Identifier: MIT
#include "remote/tcp_connect.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace troupe::remote {
namespace {

using Clock = std::chrono::steady_clock;
using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::string target(const std::string& host, std::uint16_t port) {
  return host + " port " + std::to_string(port);
}

bool is_metadata_address(const addrinfo& address) {
  if (address.ai_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address.ai_addr, sizeof in);
    return ntohl(in.sin_addr.s_addr) == 0xA9FEA9FEU;
  }
  if (address.ai_family == AF_INET6) {
    static constexpr std::array<unsigned char, 16> metadata = {
        0xFD, 0x00, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54};
    static constexpr std::array<unsigned char, 16> mapped = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xA9, 0xFE, 0xA9, 0xFE};
    sockaddr_in6 in{};
    std::memcpy(&in, address.ai_addr, sizeof in);
    return std::memcmp(&in.sin6_addr, metadata.data(), metadata.size()) == 0 ||
           std::memcmp(&in.sin6_addr, mapped.data(), mapped.size()) == 0;
  }
  return false;
}

/// Waits until the connection stands; an errno otherwise.
int finish_connect(int socket, Clock::time_point deadline, const Link& link) {
  while (!link.cancelled()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      return ETIMEDOUT;
    }
    std::array<pollfd, 2> fds = {pollfd{socket, POLLOUT, 0}, pollfd{link.wake_fd(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
    if (fds[0].revents != 0) {
      int failure = 0;
      socklen_t size = sizeof failure;
      ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size);
      return failure;
    }
    // A wake that is no cancel may be taken: what it announced is looked at after the connection.
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t got = ::read(link.wake_fd(), &rung, sizeof rung);
  }
  return ECANCELED;
}

Result<UniqueFd> try_address(const addrinfo& address, Clock::time_point deadline,
                             const Link& link) {
  UniqueFd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) {
    return Error{Code::io, std::generic_category().message(errno)};
  }
  int failure = 0;
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    failure = errno == EINPROGRESS ? finish_connect(socket.get(), deadline, link) : errno;
  }
  if (failure != 0) {
    return Error{failure == ECANCELED ? Code::cancelled : Code::io,
                 std::generic_category().message(failure)};
  }
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

}  // namespace

Result<UniqueFd> tcp_connect(const std::string& host, std::uint16_t port,
                             std::chrono::milliseconds timeout, const Link& link) {
  const auto deadline = Clock::now() + timeout;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) {
    return Error{Code::io, "cannot resolve " + host + ": " + ::gai_strerror(failure)};
  }
  const AddressList addresses(found, &::freeaddrinfo);
  std::string cause = "no address";
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    if (is_metadata_address(*address)) {
      cause = "refused: it leads to a cloud metadata address";
      continue;
    }
    auto socket = try_address(*address, deadline, link);
    if (socket) {
      return socket;
    }
    if (socket.error().code == Code::cancelled) {
      return socket.error();
    }
    cause = socket.error().message;
  }
  return Error{Code::io, "cannot connect to " + target(host, port) + ": " + cause};
}

}  // namespace troupe::remote
