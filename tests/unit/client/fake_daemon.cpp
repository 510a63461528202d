// SPDX-License-Identifier: MIT
#include "fake_daemon.hpp"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "protocol/frame_encoder.hpp"

namespace troupe::test {
namespace {

bool read_exactly(int fd, char* at, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::read(fd, at, size);
    if (count <= 0) {
      return false;
    }
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

protocol::Incoming FakeDaemon::Peer::receive() {
  std::array<unsigned char, 4> header{};
  if (!read_exactly(fd_.get(), reinterpret_cast<char*>(header.data()), header.size())) {
    return {{}, {}, protocol::Drop{}};
  }
  const std::size_t size = std::size_t{header[0]} << 24 | std::size_t{header[1]} << 16 |
                           std::size_t{header[2]} << 8 | header[3];
  std::string payload(size, '\0');
  if (!read_exactly(fd_.get(), payload.data(), size)) {
    return {{}, {}, protocol::Drop{}};
  }
  return protocol::decode_request(payload);
}

void FakeDaemon::Peer::send(const protocol::Response& response, const protocol::Incoming& to) {
  send_bytes(protocol::control_frame(protocol::encode_response(response, to.request_id)));
}

void FakeDaemon::Peer::send_bytes(const std::string& bytes) {
  std::string_view rest = bytes;
  while (!rest.empty() && open_) {
    const ssize_t count = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    open_ = count > 0;
    rest.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

FakeDaemon::FakeDaemon(std::vector<std::string> features, Script serve) {
  std::string pattern = (std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string();
  directory_ = ::mkdtemp(pattern.data());
  registration_.instance_id = std::string(32, 'a');
  registration_.pid = ::getpid();
  registration_.protocol = 7;
  registration_.socket = (directory_ / "s").string();
  registration_.token = std::string(32, 'b');
  registration_.features = std::move(features);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, registration_.socket.data(), registration_.socket.size());
  listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  (void)!::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  (void)!::listen(listener_.get(), 8);
  thread_ = std::thread([this, serve = std::move(serve)] { accept_all(serve); });
}

void FakeDaemon::accept_all(const Script& serve) {
  while (true) {
    UniqueFd fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!fd) {
      return;
    }
    Peer peer{std::move(fd)};
    serve(peer);
  }
}

FakeDaemon::~FakeDaemon() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  std::filesystem::remove_all(directory_);
}

}  // namespace troupe::test
