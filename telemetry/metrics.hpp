// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The figures of one daemon.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::telemetry {

/// What became of a subscriber that did not keep up.
enum class Lag : std::uint8_t { disconnected, resynchronised };

/// Counters, gauges and histograms for Prometheus, all named `troupe_…`.
///
/// Threads: any. Counting is atomic operations; only the first launch or close of a kind takes a
///   lock.
/// Bounds: labels are words of closed sets, so the number of series is fixed.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// `kind` is `pty`, `ssh` or `telnet`.
  void launched(std::string_view kind);
  /// `cause` is `closed` (asked for), `shutdown` or `failed`.
  void closed(std::string_view kind, std::string_view cause);
  void output(std::size_t bytes);  ///< from programs
  void input(std::size_t bytes);   ///< to programs
  void lagged(Lag lag);
  void waits_changed(std::ptrdiff_t difference);
  void command_finished();
  void rows_dropped(std::uint64_t rows);  ///< of recordings
  void spans_dropped(std::uint64_t spans);
  /// How late a message or a timer was handled.
  void actor_delay(std::chrono::microseconds delay);
  void reactor_delay(std::chrono::microseconds delay);

  /// In Prometheus' text format.
  [[nodiscard]] std::string text() const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace troupe::telemetry
