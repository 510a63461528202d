// SPDX-License-Identifier: MIT
#include "client/connection.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "fake_daemon.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe;
using client::Connection;
using client::Message;
using client::Mode;
using std::chrono::milliseconds;
using test::FakeDaemon;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

const std::vector<std::string> multiplexing{"request_id", "mux_output"};
constexpr milliseconds patience{20'000};

client::Deadline soon() {
  return client::after(patience);
}

}  // namespace

TEST_CASE("connection: the token goes with the first request only and every request has a number") {
  FakeDaemon daemon(multiplexing, [](FakeDaemon::Peer& peer) {
    const auto first = peer.receive();
    const auto second = peer.receive();
    const bool right = first.token && !second.token &&
                       first.request_id == protocol::RequestId{1U} &&
                       second.request_id == protocol::RequestId{2U};
    peer.send(reply::Pong{right ? "right" : "wrong", 1, 7, {}}, second);
    peer.send(reply::Ok{}, first);
  });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  CHECK(connection->mode() == Mode::multiplexed);
  const auto first = connection->send(request::List{});
  REQUIRE(first);
  const auto pong = connection->call(request::Ping{}, soon());
  REQUIRE(pong);
  CHECK(std::get<reply::Pong>(pong->response).instance_id == "right");
  const auto ok = connection->await(*first, soon());
  REQUIRE(ok);
  CHECK(std::holds_alternative<reply::Ok>(ok->response));
}

TEST_CASE("connection: output of a subscription is told by its terminal and kept in order") {
  FakeDaemon daemon(multiplexing, [](FakeDaemon::Peer& peer) {
    const auto subscribe = peer.receive();
    const auto ping = peer.receive();
    peer.send(reply::Attached{}, subscribe);
    peer.send_bytes(protocol::mux_output_frame(TerminalId{42}, 0, "one"));
    peer.send(reply::Pong{}, ping);
    peer.send_bytes(protocol::mux_output_frame(TerminalId{42}, 3, "two"));
  });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  request::Subscribe subscribe;
  subscribe.id = TerminalId{42};
  subscribe.attachment_id = "a";
  const auto number = connection->send(subscribe);
  REQUIRE(number);
  REQUIRE(connection->call(request::Ping{}, soon()));
  REQUIRE(connection->await(*number, soon()));
  std::string text;
  while (text.size() < 6) {
    const auto message = connection->wait_next(soon());
    REQUIRE(message);
    const auto* const output = std::get_if<client::Output>(&*message);
    REQUIRE(output != nullptr);
    CHECK(output->request == *number);
    CHECK(output->start == text.size());
    text += output->bytes;
  }
  CHECK(text == "onetwo");
}

TEST_CASE("connection: an error reply becomes an error with its code") {
  FakeDaemon daemon(multiplexing, [](FakeDaemon::Peer& peer) {
    peer.send(reply::Error(Error{Code::not_found, "no such terminal"}), peer.receive());
  });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  const auto answer = connection->call(request::Restart{TerminalId{1}}, soon());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::not_found);
  CHECK(answer.error().message == "no such terminal");
}

TEST_CASE("connection: a call that is not answered times out and is cancelled") {
  std::optional<protocol::RequestId> cancelled;
  {
    FakeDaemon daemon(multiplexing, [&cancelled](FakeDaemon::Peer& peer) {
      (void)peer.receive();
      const auto cancel = peer.receive();
      const auto* const request = std::get_if<protocol::Request>(&cancel.outcome);
      if (request != nullptr && std::holds_alternative<request::Cancel>(*request)) {
        cancelled = std::get<request::Cancel>(*request).target;
      }
    });
    auto connection = Connection::open(daemon.registration());
    REQUIRE(connection);
    const auto answer = connection->call(request::Ping{}, client::after(milliseconds{1}));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == Code::timeout);
    while (connection->pump()) {  // until the peer has read the cancel and closed
      pollfd fd{connection->fd(), POLLIN, 0};
      ::poll(&fd, 1, -1);
    }
  }
  CHECK(cancelled == protocol::RequestId{1U});
}

TEST_CASE("connection: an interrupt ends a blocking call") {
  FakeDaemon daemon(multiplexing,
                    [](FakeDaemon::Peer& peer) { (void)peer.receive(), (void)peer.receive(); });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  const UniqueFd event{::eventfd(1, EFD_CLOEXEC)};
  connection->interrupt_on(event.get());
  const auto answer = connection->call(request::Ping{}, soon());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::cancelled);
}

TEST_CASE("connection: an older daemon gets one request without a number on a connection") {
  FakeDaemon daemon({}, [](FakeDaemon::Peer& peer) {
    const auto ping = peer.receive();
    peer.send(reply::Pong{ping.request_id ? "numbered" : "plain", 1, 7, {}}, ping);
  });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  CHECK(connection->mode() == Mode::single);
  const auto pong = connection->call(request::Ping{}, soon());
  REQUIRE(pong);
  CHECK(std::get<reply::Pong>(pong->response).instance_id == "plain");
  const auto second = connection->send(request::Ping{});
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Code::limit);
}

TEST_CASE("connection: a stream that is no protocol 7 is an error and not a crash") {
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\xff"), std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
        std::string("\0\0\0\0", 4), protocol::control_frame("nonsense"),
        protocol::control_frame("{\"type\":7}")}) {
    FakeDaemon daemon(multiplexing, [&bytes](FakeDaemon::Peer& peer) {
      (void)peer.receive();
      peer.send_bytes(bytes);
    });
    auto connection = Connection::open(daemon.registration());
    REQUIRE(connection);
    const auto answer = connection->call(request::Ping{}, soon());
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == Code::io);
  }
}

TEST_CASE("connection: messages that came before the end can still be taken") {
  FakeDaemon daemon(multiplexing, [](FakeDaemon::Peer& peer) {
    const auto ping = peer.receive();
    peer.send(reply::Pong{}, ping);
  });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  REQUIRE(connection->send(request::Ping{}));
  CHECK(connection->wait_next(soon()));
  const auto end = connection->wait_next(soon());
  REQUIRE_FALSE(end);
  CHECK(end.error().code == Code::io);
}

TEST_CASE("connection: a socket that nobody serves is named in the error") {
  registration::Registration nobody;
  nobody.socket = "/nonexistent/troupe.sock";
  const auto connection = Connection::open(nobody);
  REQUIRE_FALSE(connection);
  CHECK(connection.error().message.find("/nonexistent/troupe.sock") != std::string::npos);
}

TEST_CASE("connection: C-10 messages that nobody takes are held up to a bound") {
  const std::string chunk(std::size_t{1024} * 1024, 'x');
  FakeDaemon daemon(multiplexing, [&chunk](FakeDaemon::Peer& peer) {
    (void)peer.receive();
    for (std::uint64_t sent = 0; sent < 80 && peer.open(); ++sent) {
      peer.send_bytes(protocol::mux_output_frame(TerminalId{1}, sent * chunk.size(), chunk));
    }
  });
  auto connection = Connection::open(daemon.registration());
  REQUIRE(connection);
  const auto answer = connection->call(request::Ping{}, soon());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::limit);
  std::size_t held = 0;
  while (const auto message = connection->next()) {
    held += std::get<client::Output>(*message).bytes.size();
  }
  CHECK(held > Connection::max_queued_bytes / 2);
  CHECK(held <= Connection::max_queued_bytes + 2 * chunk.size());
}
