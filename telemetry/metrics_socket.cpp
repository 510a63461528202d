// SPDX-License-Identifier: MIT
#include "telemetry/metrics_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "transport/unix_address.hpp"

namespace troupe::telemetry {
namespace {

constexpr int backlog = 16;

Error io_error(const std::string& what, const std::string& where) {
  return {errno == EADDRINUSE ? Code::busy : Code::io,
          what + " " + where + ": " + std::strerror(errno)};
}

Result<UniqueFd> listen_at(const sockaddr* name, socklen_t size, int family,
                           const std::string& where) {
  UniqueFd socket{::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int on = 1;
  if (!socket) {
    return io_error("cannot create a socket for metrics at", where);
  }
  // The last daemon's connections may still wait in the kernel.
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), name, size) != 0 || ::listen(socket.get(), backlog) != 0) {
    return io_error("cannot serve metrics at", where);
  }
  return socket;
}

}  // namespace

std::string place_of(const MetricsAddress& address, std::uint16_t port) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(port);
}

Result<UniqueFd> listen_tcp(const MetricsAddress& address) {
  const std::string where = place_of(address, address.port);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  if (::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    return listen_at(reinterpret_cast<const sockaddr*>(&v4), sizeof v4, AF_INET, where);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  (void)::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
  return listen_at(reinterpret_cast<const sockaddr*>(&v6), sizeof v6, AF_INET6, where);
}

std::uint16_t port_of(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return 0;
  }
  // The port stands at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
}

Result<> clear_path(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    return success();
  }
  if (!S_ISSOCK(there.st_mode)) {
    return Error{Code::io, "metrics at unix:" + path + ": there is a file that is no socket"};
  }
  const Result<transport::UnixAddress> address = transport::unix_address(path);
  if (!address) {
    return address.error();
  }
  UniqueFd probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (probe && ::connect(probe.get(), address->get(), address->size()) != 0 &&
      errno == ECONNREFUSED && ::unlink(path.c_str()) == 0) {
    return success();
  }
  return Error{Code::busy, "metrics at unix:" + path + ": somebody serves there already"};
}

}  // namespace troupe::telemetry
