// SPDX-License-Identifier: MIT
#include "telemetry/metrics.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace troupe::telemetry {
namespace {

bool has(const Metrics& metrics, const std::string& line) {
  return metrics.text().find(line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("metrics: what was counted stands in the text under its name and labels") {
  Metrics metrics;
  metrics.launched("pty");
  metrics.launched("pty");
  metrics.launched("ssh");
  metrics.closed("pty", "closed");
  metrics.output(1000);
  metrics.input(5);
  metrics.lagged(Lag::resynchronised);
  metrics.waits_changed(3);
  metrics.waits_changed(-1);
  metrics.command_finished();
  metrics.rows_dropped(7);
  metrics.actor_delay(std::chrono::microseconds{1500});
  CHECK(has(metrics, R"(troupe_terminal_launched_total{connector_type="pty"} 2)"));
  CHECK(has(metrics, R"(troupe_terminal_launched_total{connector_type="ssh"} 1)"));
  CHECK(has(metrics, R"(troupe_terminal_closed_total{cause="closed",connector_type="pty"} 1)"));
  CHECK(has(metrics, "troupe_terminal_output_bytes_total 1000"));
  CHECK(has(metrics, "troupe_terminal_input_bytes_total 5"));
  CHECK(has(metrics, R"(troupe_subscriber_lag_total{outcome="resynchronised"} 1)"));
  CHECK(has(metrics, R"(troupe_subscriber_lag_total{outcome="disconnected"} 0)"));
  CHECK(has(metrics, "troupe_waits 2"));
  CHECK(has(metrics, "troupe_journal_commands_total 1"));
  CHECK(has(metrics, "troupe_recording_dropped_rows_total 7"));
  CHECK(has(metrics, "troupe_actor_delay_seconds_count 1"));
  CHECK(has(metrics, R"(troupe_actor_delay_seconds_bucket{le="0.001"} 0)"));
  CHECK(has(metrics, R"(troupe_actor_delay_seconds_bucket{le="0.002"} 1)"));
}

TEST_CASE("metrics: threads that count at once lose nothing") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        metrics.output(1);
        metrics.launched("pty");
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(has(metrics, "troupe_terminal_output_bytes_total 40000"));
  CHECK(has(metrics, R"(troupe_terminal_launched_total{connector_type="pty"} 40000)"));
}

}  // namespace troupe::telemetry
