// SPDX-License-Identifier: MIT
#include "telemetry/metrics_server.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <string>

#include "tests/support/pty_child.hpp"

namespace troupe::telemetry {
namespace {

namespace asio = boost::asio;

std::string figures() {
  return "troupe_waits 0\n";
}

template <class Protocol>
std::string ask(const typename Protocol::endpoint& endpoint, const std::string& request) {
  asio::io_context io{1};
  typename Protocol::socket socket(io);
  socket.connect(endpoint);
  asio::write(socket, asio::buffer(request));
  std::string answer;
  boost::system::error_code error;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

}  // namespace

TEST_CASE("metrics_server: TEL-2 a port of the loopback serves the figures") {
  auto server = MetricsServer::start(LoopbackPort{}, figures);
  REQUIRE(server.ok());
  const asio::ip::tcp::endpoint endpoint(asio::ip::address_v4::loopback(), (*server)->port());
  const auto get = [&](const std::string& line) {
    return ask<asio::ip::tcp>(endpoint, line + " HTTP/1.1\r\nHost: x\r\n\r\n");
  };
  const std::string answer = get("GET /metrics");
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.find("text/plain; version=0.0.4") != std::string::npos);
  CHECK(answer.ends_with("\r\n\r\ntroupe_waits 0\n"));
  CHECK(get("GET /metrics?x=1").ends_with("troupe_waits 0\n"));
  CHECK(get("HEAD /metrics").ends_with("\r\n\r\n"));
  CHECK(get("GET /other").starts_with("HTTP/1.1 404"));
  CHECK(get("POST /metrics").starts_with("HTTP/1.1 405"));
  const auto second = MetricsServer::start(LoopbackPort{"127.0.0.1", (*server)->port()}, figures);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == Code::io);
}

TEST_CASE("metrics_server: what is no request is hung up on and the next is served") {
  auto server = MetricsServer::start(LoopbackPort{}, figures);
  REQUIRE(server.ok());
  const asio::ip::tcp::endpoint endpoint(asio::ip::address_v4::loopback(), (*server)->port());
  CHECK(ask<asio::ip::tcp>(endpoint, "nonsense\r\n\r\n").empty());
  CHECK(ask<asio::ip::tcp>(endpoint, "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x')).empty());
  CHECK(ask<asio::ip::tcp>(endpoint, "GET / HTTP/1.0\r\n\r\n").ends_with("troupe_waits 0\n"));
}

TEST_CASE("metrics_server: TEL-2 a Unix socket is private and replaces no other file") {
  const test::TemporaryDirectory root;
  const std::string path = root.path() + "/m.sock";
  {
    auto server = MetricsServer::start(SocketPath{path}, figures);
    REQUIRE(server.ok());
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(ask<asio::local::stream_protocol>(asio::local::stream_protocol::endpoint(path),
                                            "GET /metrics HTTP/1.1\r\n\r\n")
              .ends_with("troupe_waits 0\n"));
    CHECK_FALSE(MetricsServer::start(SocketPath{path}, figures).ok());
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(MetricsServer::start(SocketPath{root.path()}, figures).ok());
  CHECK(std::filesystem::is_directory(root.path()));
  const std::string long_path = root.path() + "/" + std::string(200, 'x');
  CHECK_FALSE(MetricsServer::start(SocketPath{long_path}, figures).ok());
}

}  // namespace troupe::telemetry
