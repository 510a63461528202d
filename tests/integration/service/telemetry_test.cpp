// SPDX-License-Identifier: MIT

/// @file
/// What the daemon tells Prometheus and OpenTelemetry.

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "client.hpp"
#include "daemon_process.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
namespace fs = std::filesystem;

namespace {

/// Sets a variable for the daemons that are started meanwhile.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    REQUIRE(::setenv(name, value.c_str(), 1) == 0);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::string figures(const std::string& path) {
  namespace asio = boost::asio;
  asio::io_context io{1};
  asio::local::stream_protocol::socket socket(io);
  socket.connect(asio::local::stream_protocol::endpoint(path));
  asio::write(socket, asio::buffer(std::string{"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"}));
  std::string answer;
  boost::system::error_code error;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("telemetry: TEL-4 figures and spans count what happened and hold nothing of it") {
  DaemonProcess unrelated;
  const std::string socket = unrelated.directory() + ".metrics";
  const std::string spans = unrelated.directory() + ".spans";
  std::string last;
  {
    const Variable metrics("TROUPE_METRICS", "unix:" + socket);
    const Variable endpoint("OTEL_EXPORTER_OTLP_ENDPOINT", "file://" + spans);
    DaemonProcess daemon;
    const TerminalId id = create_shell(daemon, "printf 'out-marker\\n'; read x; echo done");
    REQUIRE(
        wait_until([&] { return replay_of(daemon, id).find("out-marker") != std::string::npos; }));
    request::Write write;
    write.id = id;
    write.data = "typed-marker\r";
    REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, write)));
    REQUIRE(wait_until([&] { return replay_of(daemon, id).find("done") != std::string::npos; }));
    request::Create missing;
    missing.program = "/nonexistent/program";
    missing.cwd = "/";
    missing.title = missing.group_id = "g";
    CHECK(std::holds_alternative<reply::Error>(ask(daemon, missing)));
    REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, request::Terminate{id, false})));
    last = figures(socket);
    CHECK(wait_until([&] {
      const std::string text = figures(socket);
      return text.find("troupe_actor_delay_seconds_count 0") == std::string::npos &&
             text.find("troupe_reactor_delay_seconds_count 0") == std::string::npos;
    }));
    daemon.signal(15);
    CHECK(daemon.wait_exit() == 0);
  }
  CHECK_FALSE(fs::exists(socket));
  CHECK(last.find("troupe_terminal_launched_total{connector_type=\"pty\"} 1\n") !=
        std::string::npos);
  CHECK(last.find("troupe_terminal_closed_total{cause=\"closed\",connector_type=\"pty\"} 1\n") !=
        std::string::npos);
  CHECK(last.find("troupe_terminal_input_bytes_total 13\n") != std::string::npos);
  CHECK(last.find("troupe_terminal_output_bytes_total 0\n") == std::string::npos);
  CHECK(last.find("troupe_waits 0\n") != std::string::npos);
  const std::string traced = read_file(spans);
  CHECK(count_of(traced, "\"name\":\"troupe.terminal.launch\"") == 2);
  CHECK(count_of(traced, "\"name\":\"troupe.terminal.send_input\"") == 1);
  CHECK(count_of(traced, "\"name\":\"troupe.terminal.close\"") == 1);
  CHECK(count_of(traced, "\"status\"") == 1);
  for (const char* secret : {"marker", "nonexistent", "/bin/sh"}) {
    CHECK(last.find(secret) == std::string::npos);
    CHECK(traced.find(secret) == std::string::npos);
  }
  fs::remove(spans);
}

TEST_CASE("telemetry: TEL-1 a place that cannot be had ends the start and is told") {
  DaemonProcess unrelated;
  const std::string root = unrelated.directory() + "-refused";
  const Variable metrics("TROUPE_METRICS", "0.0.0.0:9464");
  const Finished finished =
      run_trouped({"daemon", "--standalone", "--name", "x", "--runtime-dir", root});
  CHECK(finished.status == 1);
  CHECK(finished.err.find("loopback") != std::string::npos);
  fs::remove_all(root);
}
