// SPDX-License-Identifier: MIT
#include "client.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "protocol/frame_encoder.hpp"
#include "transport/connector.hpp"

namespace troupe::testing {
namespace {

bool wait_for(int fd, short events) {
  pollfd probe{fd, events, 0};
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
  return ::poll(&probe, 1, static_cast<int>(limit)) > 0;
}

}  // namespace

Client::Client(const DaemonProcess& daemon) : token_(daemon.registration().token) {
  Result<UniqueFd> socket = transport::connect(daemon.registration().socket, patience);
  REQUIRE(socket);
  socket_ = std::move(*socket);
}

void Client::send(const protocol::Request& request, const std::optional<protocol::RequestId>& id) {
  send_raw(protocol::control_frame(protocol::encode_request(token_, id, request)));
}

void Client::send_raw(const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t n = ::send(socket_.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n > 0) {
      at += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      REQUIRE(wait_for(socket_.get(), POLLOUT));
    } else {
      return;  // the daemon closed it; reading tells
    }
  }
}

std::optional<std::string> Client::read() {
  for (;;) {
    if (auto payload = decoder_.next()) {
      return payload;
    }
    if (!pending_.empty()) {
      pending_.erase(0, decoder_.feed(pending_));
      continue;
    }
    std::array<char, 65536> buffer{};
    const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (n > 0) {
      pending_.assign(buffer.data(), static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      REQUIRE(wait_for(socket_.get(), POLLIN));
    } else {
      return std::nullopt;
    }
  }
}

protocol::ServerMessage Client::read_message() {
  const std::optional<std::string> payload = read();
  REQUIRE(payload);
  REQUIRE_FALSE(protocol::is_output(*payload));
  Result<protocol::ServerMessage> message = protocol::decode_response(*payload);
  REQUIRE(message);
  return *message;
}

protocol::Response Client::read_reply(const protocol::RequestId& id) {
  for (;;) {
    const std::optional<std::string> payload = read();
    REQUIRE(payload);
    if (protocol::is_output(*payload)) {
      continue;
    }
    Result<protocol::ServerMessage> message = protocol::decode_response(*payload);
    REQUIRE(message);
    if (message->request_id == id) {
      return std::move(message->response);
    }
  }
}

std::string Client::read_output_until(const std::string& wanted) {
  while (output_.find(wanted) == std::string::npos) {
    const std::optional<std::string> payload = read();
    REQUIRE(payload);
    if (protocol::is_output(*payload)) {
      const Result<protocol::OutputView> view = protocol::parse_output(*payload);
      REQUIRE(view);
      output_ += view->bytes;
    }
  }
  return output_;
}

protocol::Response ask(const DaemonProcess& daemon, const protocol::Request& request) {
  Client client{daemon};
  client.send(request);
  return client.read_message().response;
}

TerminalId create_shell(const DaemonProcess& daemon, const std::string& script) {
  protocol::request::Create create;
  create.program = "/bin/sh";
  create.args = {"-c", script};
  create.cwd = "/";
  create.title = "test";
  create.group_id = "g";
  return ask_for<protocol::reply::Created>(daemon, create).terminal.id;
}

std::string replay_of(const DaemonProcess& daemon, TerminalId id) {
  return ask_for<protocol::reply::Replay>(daemon, protocol::request::Replay{id, 0}).data;
}

}  // namespace troupe::testing
