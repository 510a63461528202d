// SPDX-License-Identifier: MIT
#include "telemetry/span_sink.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "tests/support/otlp_collector.hpp"

using namespace troupe;
using namespace troupe::telemetry;
using namespace std::chrono_literals;
using troupe::test::OtlpCollector;

namespace {

using Clock = SpanSink::Clock;

SpanSettings settings_for(std::uint16_t port) {
  SpanSettings settings;
  settings.target.host = "127.0.0.1";
  settings.target.port = port;
  settings.target.path = "/v1/traces";
  settings.headers = {{"x-key", "abc"}};
  return settings;
}

Delivery send(std::uint16_t port, const std::string& line = "{\"a\":1}",
              std::chrono::milliseconds time = 20s) {
  return make_http_sink(settings_for(port), "1.2")->deliver(line, Clock::now() + time);
}

}  // namespace

TEST_CASE("otlp_http: a batch is one POST of JSON with the headers that were given") {  // TM-9
  const OtlpCollector collector;
  const std::string line(200'000, 'x');
  CHECK(send(collector.port(), line).fate == Fate::sent);
  REQUIRE(collector.requests().size() == 1);
  const std::string request = collector.requests()[0];
  CHECK(request.find("POST /v1/traces HTTP/1.1\r\n") == 0);
  CHECK(request.find("Host: 127.0.0.1:" + std::to_string(collector.port())) != std::string::npos);
  CHECK(request.find("Content-Type: application/json\r\n") != std::string::npos);
  CHECK(request.find("User-Agent: troupe/1.2\r\n") != std::string::npos);
  CHECK(request.find("x-key: abc\r\n") != std::string::npos);
  CHECK(request.substr(request.find("\r\n\r\n") + 4) == line);
}

TEST_CASE("otlp_http: one sink delivers many batches") {
  const OtlpCollector collector;
  const auto sink = make_http_sink(settings_for(collector.port()), "1");
  for (int i = 0; i < 3; ++i) {
    CHECK(sink->deliver(std::to_string(i), Clock::now() + 20s).fate == Fate::sent);
  }
  CHECK(collector.requests().size() == 3);
}

TEST_CASE("otlp_http: the answer decides whether it is worth trying again") {  // TM-10
  struct Row {
    int status;
    Fate wanted;
  };
  for (const Row row : {Row{200, Fate::sent}, Row{202, Fate::sent}, Row{400, Fate::rejected},
                        Row{401, Fate::rejected}, Row{404, Fate::rejected}, Row{429, Fate::retry},
                        Row{500, Fate::rejected}, Row{502, Fate::retry}, Row{503, Fate::retry},
                        Row{504, Fate::retry}, Row{302, Fate::rejected}}) {
    CAPTURE(row.status);
    const OtlpCollector collector{{row.status}};
    CHECK(send(collector.port()).fate == row.wanted);
  }
}

TEST_CASE("otlp_http: spans that a collector refused of a batch are told") {  // TM-10
  const OtlpCollector collector{{200}, R"({"partialSuccess":{"rejectedSpans":"2"}})"};
  const Delivery delivery = send(collector.port());
  CHECK(delivery.fate == Fate::sent);
  CHECK(delivery.rejected == 2);
}

TEST_CASE("otlp_http: an answer that is too long is still an answer") {
  const OtlpCollector collector{{200}, std::string(500'000, ' ')};
  CHECK(send(collector.port()).fate == Fate::sent);
}

TEST_CASE("otlp_http: nobody there and a host that is not known can be tried again") {  // TM-10
  CHECK(send(test::dead_port()).fate == Fate::retry);
  SpanSettings settings = settings_for(1);
  settings.target.host = "no such host";
  CHECK(make_http_sink(settings, "1")->deliver("{}", Clock::now() + 20s).fate == Fate::retry);
}

TEST_CASE("otlp_http: a collector that hangs is given up at the deadline") {  // TM-7
  const OtlpCollector collector{{200}, "", OtlpCollector::Manners::hangs};
  const auto start = Clock::now();
  const Delivery delivery = send(collector.port(), "{}", 100ms);
  CHECK(delivery.fate == Fate::retry);
  CHECK(delivery.why == "it took too long");
  CHECK(Clock::now() - start < 10s);
}

TEST_CASE("otlp_http: a delivery that runs is hurried from another thread") {  // TM-7
  const OtlpCollector collector{{200}, "", OtlpCollector::Manners::hangs};
  const auto sink = make_http_sink(settings_for(collector.port()), "1");
  std::thread other([&] {
    while (collector.callers() == 0) {
      std::this_thread::yield();
    }
    sink->hurry(Clock::now() + 10ms);
  });
  const auto start = Clock::now();
  CHECK(sink->deliver("{}", start + 60s).fate == Fate::retry);
  CHECK(Clock::now() - start < 30s);
  other.join();
}

TEST_CASE("otlp_file: each batch is a line and the file is private") {  // TM-13
  std::string root = "/tmp/troupe-spans-XXXXXX";
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  const std::string path = root + "/spans.jsonl";
  const auto sink = make_file_sink(path);
  CHECK(sink->deliver("{\"a\":1}", {}).fate == Fate::sent);
  CHECK(sink->deliver("{\"a\":2}", {}).fate == Fate::sent);
  struct stat there {};
  REQUIRE(::stat(path.c_str(), &there) == 0);
  CHECK((there.st_mode & 07777U) == 0600);
  std::filesystem::rename(path, root + "/old");
  CHECK(sink->deliver("{\"a\":3}", {}).fate == Fate::sent);
  const auto text = [](const std::string& name) {
    std::stringstream all;
    all << std::ifstream{name}.rdbuf();
    return all.str();
  };
  CHECK(text(root + "/old") == "{\"a\":1}\n{\"a\":2}\n");
  CHECK(text(path) == "{\"a\":3}\n");
  std::filesystem::remove_all(root);
}

TEST_CASE("otlp_file: it has a ceiling and goes on when it was moved away") {  // TM-14
  std::string root = "/tmp/troupe-spans-XXXXXX";
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  const std::string path = root + "/spans.jsonl";
  const auto sink = make_file_sink(path, 20);
  CHECK(sink->deliver("{\"a\":1}", {}).fate == Fate::sent);
  CHECK(sink->deliver("{\"a\":2}", {}).fate == Fate::sent);
  const Delivery third = sink->deliver("{\"a\":3}", {});
  CHECK(third.fate == Fate::full);
  CHECK(third.why.find("20 bytes") != std::string::npos);
  CHECK(std::filesystem::file_size(path) == 16);
  CHECK(sink->deliver("{}", {}).fate == Fate::sent);
  std::filesystem::rename(path, root + "/old");
  CHECK(sink->deliver("{\"a\":4}", {}).fate == Fate::sent);
  CHECK(std::filesystem::file_size(path) == 8);
  std::filesystem::remove_all(root);
}

TEST_CASE(
    "otlp_file: links and what is no file are refused and a missing directory told") {  // TM-13
  std::string root = "/tmp/troupe-spans-XXXXXX";
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  std::ofstream{root + "/target"} << "mine";
  REQUIRE(::symlink((root + "/target").c_str(), (root + "/link").c_str()) == 0);
  REQUIRE(::mkfifo((root + "/fifo").c_str(), 0600) == 0);
  CHECK(make_file_sink(root + "/link")->deliver("{}", {}).fate == Fate::retry);
  CHECK(std::filesystem::file_size(root + "/target") == 4);
  CHECK(make_file_sink(root + "/fifo")->deliver("{}", {}).fate != Fate::sent);
  CHECK(make_file_sink("/dev/null")->deliver("{}", {}).fate == Fate::rejected);
  CHECK(make_file_sink(root + "/no/file")->deliver("{}", {}).fate == Fate::retry);
  if (std::filesystem::exists("/dev/full")) {
    CHECK(make_file_sink("/dev/full")->deliver("{}", {}).fate != Fate::sent);
  }
  std::filesystem::remove_all(root);
}
