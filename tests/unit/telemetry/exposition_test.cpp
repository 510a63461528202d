// SPDX-License-Identifier: MIT
#include "telemetry/exposition.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>

using namespace troupe::telemetry;
using namespace std::chrono_literals;

namespace {

/// The value of a series, as the text has it; empty where it is not there.
std::string value_of(const std::string& text, const std::string& series) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, series.size() + 1, series + " ") == 0) {
      return line.substr(series.size() + 1);
    }
  }
  return {};
}

std::string series_names(const std::string& text) {
  std::istringstream lines(text);
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != '#') {
      names += line.substr(0, line.rfind(' ')) + "\n";
    }
  }
  return names;
}

}  // namespace

TEST_CASE("exposition: each figure is a series of its own with the words of its labels") {  // TM-3
  auto counters = std::make_unique<Counters>();
  counters->launched.at(Connector::ssh).add();
  counters->closed.at(Connector::telnet, CloseCause::evicted).add(2);
  counters->output_bytes.at(Connector::pty).add(123'456'789);
  counters->waits.at(WaitKind::command, WaitEnd::timed_out).add(3);
  counters->subscription_ends_by.at(SubscriptionEnd::lagging).add();
  counters->program_ends_by.at(Connector::pty, ProgramEnd::signalled).add(4);
  counters->spans_lost.at(SpanLoss::queue_full).add(5);
  counters->recording_dropped_rows.add(6);
  Gauges gauges;
  gauges.lag_max_bytes = 77;
  const std::string text = exposition(*counters, gauges, {"1.2.3", 1'700'000'000.5});
  const auto value = [&](const char* series) { return value_of(text, series); };
  CHECK(value("octowright_terminal_launched_total{connector_type=\"ssh\"}") == "1");
  CHECK(value("octowright_terminal_launched_total{connector_type=\"pty\"}") == "0");
  CHECK(value("octowright_terminal_closed_total{connector_type=\"telnet\",cause=\"evicted\"}") ==
        "2");
  CHECK(value("troupe_terminal_output_bytes_total{connector_type=\"pty\"}") == "123456789");
  CHECK(value("troupe_waits_total{kind=\"command\",outcome=\"timed_out\"}") == "3");
  CHECK(value("troupe_subscription_ends_total{reason=\"lagging\"}") == "1");
  CHECK(value("troupe_terminal_program_ends_total{connector_type=\"pty\",cause=\"signalled\"}") ==
        "4");
  CHECK(value("troupe_spans_lost_total{reason=\"queue_full\"}") == "5");
  CHECK(value("troupe_recording_dropped_rows_total") == "6");
  CHECK(value("troupe_subscription_lag_max_bytes") == "77");
  CHECK(value("troupe_build_info{version=\"1.2.3\"}") == "1");
  CHECK(value("process_start_time_seconds") == "1700000000.5");
  CHECK(std::stod(value("process_resident_memory_bytes")) > 1e6);
}

TEST_CASE("exposition: a delay histogram is cumulative and its sum is in seconds") {
  auto counters = std::make_unique<Counters>();
  counters->reactor_delay.observe(100us);
  counters->reactor_delay.observe(101us);
  counters->reactor_delay.observe(7s);
  counters->reactor_delay.observe(-5s);  // a clock that stepped
  const std::string text = exposition(*counters, {}, {});
  const auto bucket = [&](const char* le) {
    return value_of(text, std::string{"troupe_reactor_delay_seconds_bucket{le=\""} + le + "\"}");
  };
  CHECK(bucket("0.0001") == "2");
  CHECK(bucket("0.00025") == "3");
  CHECK(bucket("5") == "3");
  CHECK(bucket("+Inf") == "4");
  CHECK(value_of(text, "troupe_reactor_delay_seconds_count") == "4");
  CHECK(std::stod(value_of(text, "troupe_reactor_delay_seconds_sum")) == doctest::Approx(7.000201));
}

TEST_CASE("exposition: the number of series and the size do not grow with use") {  // TM-3
  auto counters = std::make_unique<Counters>();
  const std::string before = exposition(*counters, {}, {"1", 1});
  for (int i = 0; i < 1000; ++i) {
    counters->launched.at(Connector::pty).add(1U << 20U);
    counters->actor_delay.observe(std::chrono::microseconds{i * 1000});
  }
  const std::string after = exposition(*counters, {}, {"1", 1});
  CHECK(series_names(before) == series_names(after));
  CHECK(after.size() < 32U * 1024);
}

TEST_CASE("exposition: every metric has help and a type and is named once") {
  const std::string text = exposition(*std::make_unique<Counters>(), {}, {"1", 1});
  std::istringstream lines(text);
  std::multiset<std::string> types;
  std::multiset<std::string> helps;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark;
    std::string what;
    std::string name;
    words >> mark >> what >> name;
    if (mark == "#") {
      (what == "TYPE" ? types : helps).insert(name);
    }
  }
  CHECK(types == helps);
  for (const std::string& name : types) {
    CHECK(types.count(name) == 1);
  }
}
