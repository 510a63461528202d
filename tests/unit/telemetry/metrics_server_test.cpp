// SPDX-License-Identifier: MIT
#include "telemetry/metrics_server.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/otlp_collector.hpp"

using namespace troupe;
using namespace troupe::telemetry;
namespace test = troupe::test;

namespace {

struct Directory {
  Directory() {
    std::string path = "/tmp/troupe-metrics-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    root = path;
  }
  ~Directory() { std::filesystem::remove_all(root); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] std::string path(const char* name) const { return root + "/" + name; }
  std::string root;
};

/// A server on an io thread of its own.
class Stage {
 public:
  explicit Stage(const MetricsAddress& address)
      : opened(MetricsServer::open(io, address, *counters, [this] {
          ++renders;
          return std::string{"figure 1\n"};
        })) {
    thread = std::thread([this] { io.run(); });
  }
  ~Stage() {
    boost::asio::post(io, [this] {
      if (opened) {
        opened->reset();
      }
      io.stop();
    });
    thread.join();
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  [[nodiscard]] std::uint16_t port() const {
    const std::string& url = (*opened)->url();
    return static_cast<std::uint16_t>(
        std::stoi(url.substr(url.rfind(':') + 1, url.rfind('/') - url.rfind(':') - 1)));
  }

  std::unique_ptr<Counters> counters = std::make_unique<Counters>();
  std::atomic<int> renders{0};
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  Result<std::unique_ptr<MetricsServer>> opened;
  std::thread thread;
};

MetricsAddress any_port() {
  return {"", "127.0.0.1", 0};
}

}  // namespace

TEST_CASE("metrics_server: a scrape over loopback is answered and the connection closed") {
  Stage stage{any_port()};
  REQUIRE(stage.opened);
  const std::string answer = test::http_get(test::connect_port(stage.port()), "/metrics");
  CHECK(answer.find("HTTP/1.1 200 OK\r\n") == 0);
  CHECK(answer.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n") !=
        std::string::npos);
  CHECK(answer.find("\r\n\r\nfigure 1\n") != std::string::npos);
}

TEST_CASE("metrics_server: IPv6 loopback is served") {
  Stage stage{{"", "::1", 0}};
  REQUIRE(stage.opened);
  CHECK((*stage.opened)->url().find("http://[::1]:") == 0);
}

TEST_CASE("metrics_server: other paths and methods are refused") {
  Stage stage{any_port()};
  REQUIRE(stage.opened);
  const auto ask = [&](const std::string& head) {
    return test::exchange(test::connect_port(stage.port()).get(), head).substr(0, 12);
  };
  CHECK(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") == "HTTP/1.1 404");
  CHECK(ask("GET /metrics?x=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n") == "HTTP/1.1 200");
  CHECK(ask("GET /metrics HTTP/1.0\r\n\r\n") == "HTTP/1.0 200");
  CHECK(ask("HEAD /metrics HTTP/1.1\r\nHost: [::1]:9\r\n\r\n") == "HTTP/1.1 200");
  CHECK(ask("DELETE /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") == "HTTP/1.1 405");
  const std::string post = "POST /metrics HTTP/1.1\r\nHost: localhost\r\n";
  CHECK(ask(post + "Content-Length: 3\r\n\r\na=1") == "HTTP/1.1 405");
  CHECK(ask(post + "Content-Length: 3\r\n\r\n") == "HTTP/1.1 405");
  CHECK(ask(post + "Content-Length: 200000\r\n\r\n" + std::string(200'000, 'x')) == "HTTP/1.1 405");
  CHECK(ask(post + "Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n0\r\n\r\n") == "HTTP/1.1 405");
}

TEST_CASE("metrics_server: a browser that was led here by another name is refused") {  // TM-2
  Stage stage{any_port()};
  REQUIRE(stage.opened);
  const std::string answer =
      test::exchange(test::connect_port(stage.port()).get(),
                     "GET /metrics HTTP/1.1\r\nHost: rebound.example:9464\r\n\r\n");
  CHECK(answer.substr(0, 12) == "HTTP/1.1 403");
  CHECK(answer.find("figure") == std::string::npos);
}

TEST_CASE("metrics_server: a request beyond its bounds or no request at all is closed") {  // TM-4
  Stage stage{any_port()};
  REQUIRE(stage.opened);
  CHECK(test::exchange(test::connect_port(stage.port()).get(),
                       "GET /metrics HTTP/1.1\r\nX: " + std::string(16'384, 'x') + "\r\n\r\n")
            .find("figure") == std::string::npos);
  CHECK(test::exchange(test::connect_port(stage.port()).get(), "\x16\x03\x01\r\n\r\n")
            .find("figure") == std::string::npos);
  CHECK(test::http_get(test::connect_port(stage.port()), "/metrics").find("figure") !=
        std::string::npos);
}

TEST_CASE("metrics_server: silent connections are bounded and closed after a while") {  // TM-4
  Stage stage{any_port()};
  REQUIRE(stage.opened);
  std::vector<UniqueFd> silent;
  for (std::size_t i = 0; i < MetricsServer::max_connections; ++i) {
    silent.push_back(test::connect_port(stage.port()));
  }
  // One more is closed without an answer.
  CHECK(test::exchange(test::connect_port(stage.port()).get(), "").empty());
  CHECK(stage.counters->scrapes_refused.get() == 1);
  // The silent ones lose their patience's worth of time and then their place.
  CHECK(test::exchange(silent.back().get(), "").empty());
  silent.clear();
  CHECK(test::http_get(test::connect_port(stage.port()), "/metrics").find("figure") !=
        std::string::npos);
}

TEST_CASE("metrics_server: scrapes in a loop do not render each time") {  // TM-4
  Stage stage{any_port()};
  REQUIRE(stage.opened);
  for (int i = 0; i < 50; ++i) {
    CHECK(test::http_get(test::connect_port(stage.port()), "/metrics").find("figure") !=
          std::string::npos);
  }
  CHECK(stage.renders < 50);
}

TEST_CASE("metrics_server: an address in use is busy") {
  Stage first{any_port()};
  REQUIRE(first.opened);
  Stage second{{"", "127.0.0.1", first.port()}};
  REQUIRE_FALSE(second.opened);
  CHECK(second.opened.error().code == Code::busy);
}

TEST_CASE("metrics_server: its Unix socket is private and goes with it") {  // TM-5
  const Directory directory;
  const std::string path = directory.path("m.sock");
  {
    Stage stage{{path, "", 0}};
    REQUIRE(stage.opened);
    struct stat there {};
    REQUIRE(::lstat(path.c_str(), &there) == 0);
    CHECK((there.st_mode & 07777U) == 0600);
    CHECK(test::http_get(test::connect_path(path), "/metrics").find("figure") != std::string::npos);
    Stage rival{{path, "", 0}};
    REQUIRE_FALSE(rival.opened);
    CHECK(rival.opened.error().code == Code::busy);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("metrics_server: a socket nobody serves is replaced and another file is not") {  // TM-5
  const Directory directory;
  const std::string path = directory.path("m.sock");
  {
    Stage stage{{path, "", 0}};
    REQUIRE(stage.opened);
    std::filesystem::create_hard_link(path, directory.path("left"));
  }
  std::filesystem::rename(directory.path("left"), path);
  {
    Stage stage{{path, "", 0}};
    CHECK(stage.opened);
  }
  std::ofstream{path} << "mine";
  Stage stage{{path, "", 0}};
  REQUIRE_FALSE(stage.opened);
  CHECK(stage.opened.error().message.find("no socket") != std::string::npos);
  CHECK(std::filesystem::file_size(path) == 4);
}

TEST_CASE("metrics_server: a path that is too long is refused") {
  Stage stage{{"/tmp/" + std::string(200, 'x'), "", 0}};
  REQUIRE_FALSE(stage.opened);
  CHECK(stage.opened.error().code == Code::bad_request);
}
