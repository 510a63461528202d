// SPDX-License-Identifier: MIT
#include "bench/load/relay.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "bench/load/bare_pty.hpp"
#include "bench/load/failure.hpp"

namespace troupe::bench {
namespace {

void take_key(const UniqueFd& key, int pty) {
  std::array<char, 4096> message{};
  if (::recv(key.get(), message.data(), message.size(), 0) <= 0 || ::write(pty, "x", 1) != 1 ||
      ::send(key.get(), "ok", 2, MSG_NOSIGNAL) != 2) {
    throw_errno("a key of the relay");
  }
}

void pass_on(int pty, const UniqueFd& stream) {
  std::array<char, 4096> bytes{};
  const ssize_t got = ::read(pty, bytes.data(), bytes.size());
  if (got <= 0 ||
      ::send(stream.get(), bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) != got) {
    throw_errno("an echo of the relay");
  }
}

void relay(const Rendezvous& socket, const std::vector<std::string>& program) {
  const BarePty pty(program);
  const UniqueFd stream = socket.accept();
  std::array<pollfd, 3> watched{
      {{socket.listener(), POLLIN, 0}, {pty.master(), POLLIN, 0}, {stream.get(), 0, 0}}};
  while (::poll(watched.data(), watched.size(), -1) > 0 && watched[2].revents == 0) {
    if (watched[0].revents != 0) {
      take_key(socket.accept(), pty.master());
    }
    if (watched[1].revents != 0) {
      pass_on(pty.master(), stream);
    }
  }
}

}  // namespace

Relay::Relay(const std::string& directory, const std::vector<std::string>& program)
    : socket_(directory, "relay.sock"), pid_(::fork()) {
  if (pid_ < 0) {
    throw_errno("fork");
  }
  if (pid_ == 0) {
    try {
      relay(socket_, program);
    } catch (const std::exception& problem) {
      ::_exit(1);  // its client sees the end of its connection
    }
    ::_exit(0);
  }
}

Relay::~Relay() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace troupe::bench
