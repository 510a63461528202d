// SPDX-License-Identifier: MIT

/// @file
/// Metrics and spans of a running daemon.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "client.hpp"
#include "daemon_process.hpp"
#include "tests/support/otlp_collector.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
namespace test = troupe::test;
using nlohmann::json;
using test::OtlpCollector;
using namespace std::chrono_literals;

namespace {

/// Variables of the daemons that a test starts.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      REQUIRE(::setenv(name.c_str(), value.c_str(), 1) == 0);
      names_.push_back(name);
    }
  }
  ~Variables() {
    for (const std::string& name : names_) {
      ::unsetenv(name.c_str());
    }
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::vector<std::string> names_;
};

std::string scrape_path(const std::string& path) {
  return test::http_get(test::connect_path(path), "/metrics");
}

/// Scrapes until the line is there: figures are counted on other threads than the answers.
bool shows(const std::function<std::string()>& scrape, const std::string& line) {
  std::string text;
  const bool seen =
      wait_until([&] { return (text = scrape()).find("\n" + line + "\n") != std::string::npos; });
  if (!seen) {
    MESSAGE(text);
  }
  return seen;
}

void type_into(const DaemonProcess& daemon, TerminalId id, const std::string& text) {
  request::Write write;
  write.id = id;
  write.data = text;
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, write)));
}

void terminate(const DaemonProcess& daemon, TerminalId id) {
  request::Terminate end;
  end.id = id;
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, end)));
}

json spans_of(const std::string& body) {
  return json::parse(body)["resourceSpans"][0]["scopeSpans"][0]["spans"];
}

/// The spans of all requests, by name.
std::map<std::string, std::vector<json>> spans_by_name(const OtlpCollector& collector) {
  std::map<std::string, std::vector<json>> found;
  for (const std::string& text : collector.requests()) {
    for (const json& span : spans_of(text.substr(text.find("\r\n\r\n") + 4))) {
      found[span["name"]].push_back(span);
    }
  }
  return found;
}

std::string attribute(const json& span, const std::string& key) {
  for (const json& attribute : span["attributes"]) {
    if (attribute["key"] == key) {
      return attribute["value"]["stringValue"];
    }
  }
  return {};
}

/// How long a terminal takes to answer a key press.
std::chrono::milliseconds round_trip(const DaemonProcess& daemon, TerminalId id,
                                     const std::string& word) {
  const auto start = std::chrono::steady_clock::now();
  type_into(daemon, id, word + "\n");
  REQUIRE(
      wait_until([&] { return replay_of(daemon, id).find("got " + word) != std::string::npos; }));
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start);
}

const std::string echo_words = "stty -echo; printf READY; while read w; do echo got $w; done";

}  // namespace

TEST_CASE("telemetry: metrics over a Unix socket tell of terminals and their bytes") {  // TM-12
  DaemonProcess daemon{Kind::standalone, {"--metrics", "unix:metrics.sock"}};
  const std::string path = daemon.directory() + "/metrics.sock";
  const auto scrape = [&] { return scrape_path(path); };
  CHECK(shows(scrape, "troupe_terminals 0"));
  const TerminalId id = create_shell(daemon, "stty raw -echo; printf READY; cat");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  type_into(daemon, id, "12345");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY12345"; }));
  CHECK(shows(scrape, "octowright_terminal_launched_total{connector_type=\"pty\"} 1"));
  CHECK(shows(scrape, "troupe_terminal_output_bytes_total{connector_type=\"pty\"} 10"));
  CHECK(shows(scrape, "troupe_terminal_input_bytes_total{connector_type=\"pty\"} 5"));
  CHECK(shows(scrape, "troupe_terminals_running 1"));
  terminate(daemon, id);
  CHECK(shows(scrape,
              "octowright_terminal_closed_total{connector_type=\"pty\",cause="
              "\"terminated\"} 1"));
  CHECK(shows(scrape,
              "troupe_terminal_program_ends_total{connector_type=\"pty\",cause=\"signalled\"} 1"));
  CHECK(wait_until(
      [&] { return scrape().find("troupe_actor_delay_seconds_count 0\n") == std::string::npos; }));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait_exit() == 0);
  CHECK_FALSE(std::filesystem::exists(daemon.directory()));
  CHECK(daemon.printed().empty());
}

TEST_CASE("telemetry: metrics over loopback come from the variable and off beats it") {  // TM-2
  const std::uint16_t port = test::dead_port();
  const Variables variables{{{"TROUPE_METRICS", "127.0.0.1:" + std::to_string(port)}}};
  {
    DaemonProcess daemon;
    const auto scrape = [&] { return test::http_get(test::connect_port(port), "/metrics"); };
    const TerminalId id = create_shell(daemon, "exit 3");
    CHECK(shows(scrape,
                "troupe_terminal_program_ends_total{connector_type=\"pty\",cause=\"exited\"} 1"));
    CHECK(shows(scrape, "troupe_terminals 1"));
    request::Create create;
    create.program = "/no/such/program";
    create.cwd = "/";
    create.group_id = "g";
    CHECK(std::holds_alternative<reply::Error>(ask(daemon, create)));
    CHECK(shows(scrape, "troupe_terminal_launch_failures_total{connector_type=\"pty\"} 1"));
    terminate(daemon, id);
  }
  const DaemonProcess daemon{Kind::standalone, {"--metrics", "off"}};
  CHECK_FALSE(test::connect_port(port));
}

TEST_CASE(
    "telemetry: without being asked the daemon serves no metrics and sends no spans") {  // TM-1
  const OtlpCollector collector;
  const Variables variables{{{"OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()},
                             {"OTEL_SDK_DISABLED", "true"},
                             {"OTEL_BSP_SCHEDULE_DELAY", "1"}}};
  {
    DaemonProcess daemon;
    const TerminalId id = create_shell(daemon, "cat");
    type_into(daemon, id, "x");
    terminate(daemon, id);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(daemon.directory())) {
      files.push_back(entry.path().filename());
    }
    CHECK(std::find(files.begin(), files.end(), "metrics.sock") == files.end());
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_exit() == 0);
  }
  CHECK(collector.callers() == 0);
}

TEST_CASE("telemetry: an address that others reach or that is taken stops the start") {  // TM-2
  const auto refused = [](const std::string& address) {
    std::string root = "/tmp/troupe-refused-XXXXXX";
    REQUIRE(::mkdtemp(root.data()) != nullptr);
    const Finished run =
        run_trouped({"--standalone", "--name", "x", "--runtime-dir", root, "--metrics", address});
    std::filesystem::remove_all(root);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK(refused("0.0.0.0:9464").find("error: metrics address 0.0.0.0:9464: only a loopback") == 0);
  CHECK(refused("nonsense").find("error: metrics address nonsense: expected HOST:PORT") == 0);
  CHECK(refused("unix:/").find("error: ") == 0);
  const OtlpCollector occupant;
  CHECK(refused("127.0.0.1:" + std::to_string(occupant.port()))
            .find("error: cannot serve metrics at 127.0.0.1:") == 0);
}

TEST_CASE("telemetry: launch and input and close arrive at a collector as spans") {  // TM-8 TM-9
  const OtlpCollector collector;
  const Variables variables{{{"OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()},
                             {"OTEL_SERVICE_NAME", "my-terminals"},
                             {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hunter2"},
                             {"OTEL_BSP_SCHEDULE_DELAY", "50"}}};
  TerminalId id;
  {
    DaemonProcess daemon;
    id = create_shell(daemon, "stty -echo; printf READY; cat");
    REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
    type_into(daemon, id, "correct horse\n");
    terminate(daemon, id);
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_exit() == 0);
    CHECK(daemon.printed().empty());
  }
  auto spans = spans_by_name(collector);
  CHECK(spans.size() == 3);
  for (const char* name : {"octowright.terminal.launch", "octowright.terminal.send_input",
                           "octowright.terminal.close"}) {
    CAPTURE(name);
    REQUIRE(spans[name].size() == 1);
    const json& span = spans[name][0];
    CHECK(attribute(span, "connector_type") == "pty");
    std::ostringstream hex;
    hex << std::hex << std::setw(12) << std::setfill('0') << id.value;
    CHECK(attribute(span, "instance_id") == hex.str());
    CHECK(span["attributes"].size() == 2);
    CHECK(span["traceId"].get<std::string>().size() == 32);
    CHECK(span["spanId"].get<std::string>().size() == 16);
    CHECK(std::stoll(span["startTimeUnixNano"].get<std::string>()) <=
          std::stoll(span["endTimeUnixNano"].get<std::string>()));
  }
  for (const std::string& request : collector.requests()) {
    CHECK(request.find("POST /v1/traces HTTP/1.1") == 0);
    CHECK(request.find("authorization: Bearer hunter2") != std::string::npos);
    CHECK(request.find("my-terminals") != std::string::npos);
    CHECK(request.find("correct") == std::string::npos);
    CHECK(request.find("READY") == std::string::npos);
  }
}

TEST_CASE("telemetry: spans go to a file where the endpoint names one") {  // TM-13
  std::string root = "/tmp/troupe-spans-XXXXXX";
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  const Variables variables{
      {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "file://" + root + "/spans.jsonl"}}};
  {
    DaemonProcess daemon;
    (void)create_shell(daemon, "cat");
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_exit() == 0);
  }
  std::ifstream file(root + "/spans.jsonl");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    for (const json& span : spans_of(line)) {
      names.push_back(span["name"]);
    }
  }
  CHECK(names ==
        std::vector<std::string>{"octowright.terminal.launch", "octowright.terminal.close"});
  std::filesystem::remove_all(root);
}

TEST_CASE("telemetry: a dead or hanging collector delays no terminal and hardly the end") {  // TM-7
  const OtlpCollector hanging{{200}, "", OtlpCollector::Manners::hangs};
  const std::string dead = "http://127.0.0.1:" + std::to_string(test::dead_port());
  for (const std::string& url : {hanging.url(), dead}) {
    CAPTURE(url);
    const Variables variables{
        {{"OTEL_EXPORTER_OTLP_ENDPOINT", url}, {"OTEL_BSP_SCHEDULE_DELAY", "1"}}};
    DaemonProcess daemon{Kind::standalone,
                         {"--metrics", "unix:metrics.sock", "--log-level", "off"}};
    const std::string path = daemon.directory() + "/metrics.sock";
    const TerminalId id = create_shell(daemon, echo_words);
    REQUIRE(wait_until([&] { return replay_of(daemon, id).find("READY") == 0; }));
    // The exporter is at it by now: the launch is its first batch.
    if (url != dead) {
      REQUIRE(wait_until([&] { return hanging.callers() > 0; }));
    }
    std::chrono::milliseconds worst{0};
    for (int i = 0; i < 50; ++i) {
      worst = std::max(worst, round_trip(daemon, id, "w" + std::to_string(i) + "."));
    }
    CHECK(worst < 2s);  // the collector would hold it for ten
    CHECK(scrape_path(path).find("\ntroupe_spans_sent_total 0\n") != std::string::npos);
    const auto start = std::chrono::steady_clock::now();
    daemon.signal(SIGTERM);
    CHECK(daemon.wait_exit() == 0);
    CHECK(std::chrono::steady_clock::now() - start < 4s);
  }
}

TEST_CASE("telemetry: clients that hold the metrics port delay no terminal") {  // TM-4
  DaemonProcess daemon{Kind::standalone, {"--metrics", "unix:metrics.sock"}};
  const std::string path = daemon.directory() + "/metrics.sock";
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 40; ++i) {
    silent.push_back(test::connect_path(path));
  }
  const TerminalId id = create_shell(daemon, echo_words);
  REQUIRE(wait_until([&] { return replay_of(daemon, id).find("READY") == 0; }));
  CHECK(round_trip(daemon, id, "word") < 2s);
  CHECK(wait_until([&] {
    const UniqueFd socket = test::connect_path(path);
    return test::http_get(socket, "/metrics").find("troupe_scrapes_refused_total") !=
           std::string::npos;
  }));
}

TEST_CASE("telemetry: a variable that does not fit is a warning and the daemon starts") {  // TM-11
  const Variables variables{{{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://u:hunter2@collector:4318"}}};
  DaemonProcess daemon;
  (void)create_shell(daemon, "cat");
  const std::string printed = daemon.printed();
  CHECK(printed.find("warning OTEL_EXPORTER_OTLP_ENDPOINT: https is not spoken here") !=
        std::string::npos);
  CHECK(printed.find("hunter2") == std::string::npos);
}
