// SPDX-License-Identifier: MIT
#include "bench/load/rendezvous.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "bench/load/failure.hpp"

namespace troupe::bench {
namespace {

constexpr int child_deadline_ms = 120'000;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw Failure("socket path too long: " + path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

UniqueFd unix_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) {
    throw_errno("socket");
  }
  return fd;
}

void await_readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  if (::poll(&entry, 1, child_deadline_ms) != 1) {
    throw Failure("the child in the terminal did not answer in time");
  }
}

}  // namespace

Rendezvous::Rendezvous(const std::string& directory, const std::string& name)
    : path_(directory + "/" + name), listener_(unix_socket()) {
  const sockaddr_un address = address_of(path_);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(listener_.get(), generic, sizeof(address)) != 0) {
    throw_errno("bind " + path_);
  }
  if (::listen(listener_.get(), 64) != 0) {
    throw_errno("listen " + path_);
  }
}

Rendezvous::~Rendezvous() {
  (void)::unlink(path_.c_str());
}

UniqueFd Rendezvous::accept() const {
  await_readable(listener_.get());
  UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd) {
    throw_errno("accept");
  }
  return fd;
}

UniqueFd connect_unix(const std::string& path) {
  UniqueFd fd = unix_socket();
  const sockaddr_un address = address_of(path);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw_errno("connect " + path);
  }
  return fd;
}

void signal_peer(int fd) {
  if (::write(fd, "!", 1) != 1) {
    throw_errno("write to the peer");
  }
}

void await_peer(int fd) {
  await_readable(fd);
  char byte = 0;
  if (::read(fd, &byte, 1) != 1) {
    throw Failure("the child in the terminal ended early");
  }
}

}  // namespace troupe::bench
