// SPDX-License-Identifier: MIT
#include "telemetry/span_exporter.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/support/pty_child.hpp"

namespace troupe::telemetry {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{60};

/// A collector's address; what comes there is the test's to answer.
struct Collector {
  Collector() : acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}
  [[nodiscard]] SpanSettings settings() const {
    SpanSettings result;
    result.endpoint =
        HttpEndpoint{"127.0.0.1", std::to_string(acceptor.local_endpoint().port()), "/v1/traces"};
    return result;
  }
  asio::io_context io{1};
  tcp::acceptor acceptor;
};

Span span(const std::string& name) {
  return {name, 1, 2, {}, ""};
}

}  // namespace

TEST_CASE("span_exporter: a collector gets the spans as one request") {
  Collector collector;
  SpanSettings settings = collector.settings();
  settings.headers = {{"x-key", "k"}};
  auto exporter = std::make_unique<SpanExporter>(settings, [](std::uint64_t) {});
  exporter->add(span("a"));
  tcp::socket socket = collector.acceptor.accept();
  asio::streambuf buffer;
  const std::size_t head_size = asio::read_until(socket, buffer, "\r\n\r\n");
  const std::string head(static_cast<const char*>(buffer.data().data()), head_size);
  CHECK(head.starts_with("POST /v1/traces HTTP/1.1\r\n"));
  CHECK(head.find("Content-Type: application/json\r\n") != std::string::npos);
  CHECK(head.find("x-key: k\r\n") != std::string::npos);
  buffer.consume(head_size);
  asio::read_until(socket, buffer, "]}]}]}");
  const std::string body(static_cast<const char*>(buffer.data().data()), buffer.size());
  CHECK(body.find(R"("name":"a")") != std::string::npos);
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  asio::write(socket, asio::buffer(answer));
}

TEST_CASE("span_exporter: TEL-3 a collector that hangs delays nobody and costs counted spans") {
  Collector collector;
  const auto dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
  const auto begin = Clock::now();
  {
    SpanExporter exporter(collector.settings(), [dropped](std::uint64_t n) { *dropped += n; });
    exporter.add(span("first"));
    const tcp::socket hung = collector.acceptor.accept();
    const std::uint64_t queued = SpanExporter::max_queued_spans;
    for (std::uint64_t i = 0; i < queued + 10; ++i) {
      exporter.add(span("more"));
    }
    CHECK(*dropped == 10);
  }
  CHECK(Clock::now() - begin < std::chrono::seconds{8});  // a request's own timeout is 10 s
}

TEST_CASE("span_exporter: TEL-3 what a missing collector cannot take is counted") {
  SpanSettings settings;
  {
    const Collector gone;
    settings = gone.settings();
  }
  const auto dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
  SpanExporter exporter(settings, [dropped](std::uint64_t n) { *dropped += n; });
  exporter.add(span("a"));
  for (const auto deadline = Clock::now() + patience; *dropped == 0 && Clock::now() < deadline;) {
    std::this_thread::yield();
  }
  CHECK(*dropped == 1);
}

TEST_CASE("span_exporter: a file gets one request a line and is private") {
  const test::TemporaryDirectory root;
  const std::string path = root.path() + "/spans.jsonl";
  SpanSettings settings;
  settings.endpoint = FileEndpoint{path};
  for (const char* name : {"first", "second"}) {
    SpanExporter exporter(settings, [](std::uint64_t) {});
    exporter.add(span(name));
  }
  std::ifstream file(path);
  std::string line;
  for (const char* name : {"first", "second"}) {
    REQUIRE(std::getline(file, line));
    const auto spans =
        nlohmann::json::parse(line).at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans");
    CHECK(spans.at(0).at("name") == name);
  }
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

}  // namespace troupe::telemetry
