// SPDX-License-Identifier: MIT
#include "otlp_collector.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace troupe::test {
namespace {

constexpr int patience_ms = 20'000;
constexpr int step_ms = 20;

struct Bound {
  UniqueFd socket;
  std::uint16_t port = 0;
};

Bound bind_loopback() {
  Bound bound;
  bound.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  auto* const raw = reinterpret_cast<sockaddr*>(&name);
  REQUIRE(::bind(bound.socket.get(), raw, size) == 0);
  REQUIRE(::getsockname(bound.socket.get(), raw, &size) == 0);
  bound.port = ntohs(name.sin_port);
  return bound;
}

bool readable(int fd, int timeout_ms) {
  pollfd poll{fd, POLLIN, 0};
  return ::poll(&poll, 1, timeout_ms) == 1;
}

/// Appends what comes next; false at the end.
bool read_more(int fd, std::string& text) {
  std::array<char, 16384> buffer{};
  const ssize_t n = readable(fd, patience_ms) ? ::read(fd, buffer.data(), buffer.size()) : -1;
  if (n > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return n > 0;
}

std::size_t length_of(const std::string& head) {
  const std::string name = "Content-Length: ";
  const auto at = head.find(name);
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + name.size(), nullptr, 10);
}

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::send(fd, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n <= 0) {
      return;
    }
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

OtlpCollector::OtlpCollector(std::vector<int> statuses, std::string body, Manners manners)
    : statuses_(std::move(statuses)), body_(std::move(body)), manners_(manners) {
  Bound bound = bind_loopback();
  listener_ = std::move(bound.socket);
  port_ = bound.port;
  REQUIRE(::listen(listener_.get(), 16) == 0);
  thread_ = std::thread([this] { serve(); });
}

OtlpCollector::~OtlpCollector() {
  over_ = true;
  thread_.join();
}

std::string OtlpCollector::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

std::vector<std::string> OtlpCollector::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void OtlpCollector::serve() {
  while (!over_) {
    if (!readable(listener_.get(), step_ms)) {
      continue;
    }
    UniqueFd peer{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!peer) {
      continue;
    }
    ++callers_;
    if (manners_ == Manners::hangs) {
      held_.push_back(std::move(peer));
    } else {
      serve_one(peer.get());
    }
  }
}

void OtlpCollector::serve_one(int fd) {
  std::string text;
  std::size_t head = std::string::npos;
  while ((head = text.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more(fd, text)) {
      return;
    }
  }
  while (text.size() < head + 4 + length_of(text)) {
    if (!read_more(fd, text)) {
      return;
    }
  }
  std::size_t turn = 0;
  {
    const std::lock_guard lock(mutex_);
    turn = std::min(requests_.size(), statuses_.size() - 1);
    requests_.push_back(text);
  }
  write_all(fd, "HTTP/1.1 " + std::to_string(statuses_[turn]) +
                    " x\r\nContent-Type: application/json\r\nContent-Length: " +
                    std::to_string(body_.size()) + "\r\n\r\n" + body_);
}

std::uint16_t dead_port() {
  return bind_loopback().port;  // closed when it returns
}

UniqueFd connect_port(std::uint16_t port) {
  UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(port);
  const bool connected =
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  return connected ? std::move(socket) : UniqueFd{};
}

UniqueFd connect_path(const std::string& path) {
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof name.sun_path);
  path.copy(name.sun_path, path.size());
  const bool connected =
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  return connected ? std::move(socket) : UniqueFd{};
}

std::string exchange(int fd, const std::string& text) {
  write_all(fd, text);
  std::string answer;
  while (read_more(fd, answer)) {
  }
  return answer;
}

std::string http_get(const UniqueFd& socket, const std::string& target) {
  REQUIRE(socket);
  return exchange(socket.get(), "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

}  // namespace troupe::test
