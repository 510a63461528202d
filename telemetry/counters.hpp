// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The figures that grow, as plain atomics: a terminal that floods must pay one addition for its
/// bytes and no lock. What a scrape shows is made of them only when somebody scrapes.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "telemetry/port.hpp"

namespace troupe::telemetry {

/// Threads: any.
class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Delays in fixed steps from 0.1 ms to 5 s.
///
/// Threads: any. A reader may see an observation in a step that is not in the sum yet.
class DelayHistogram {
 public:
  static constexpr std::array<std::int64_t, 15> bounds_us{
      100,    250,     500,     1'000,   2'500,     5'000,     10'000,   25'000,
      50'000, 100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000};

  /// Negative delays, of a clock that stepped, count as none.
  void observe(std::chrono::microseconds delay);
  /// Observations up to bound `i`, not cumulative; the last one is what is above all bounds.
  [[nodiscard]] std::uint64_t count(std::size_t i) const { return counts_.at(i).get(); }
  [[nodiscard]] std::uint64_t sum_us() const { return sum_us_.get(); }

 private:
  std::array<Counter, bounds_us.size() + 1> counts_;
  Counter sum_us_;
};

template <std::size_t Rows, std::size_t Columns = 1>
struct CounterGrid {
  std::array<std::array<Counter, Columns>, Rows> cells;

  template <class Row>
  Counter& at(Row row) {
    return cells.at(static_cast<std::size_t>(row)).front();
  }
  template <class Row, class Column>
  Counter& at(Row row, Column column) {
    return cells.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column));
  }
};

/// Why a span was not delivered.
enum class SpanLoss : std::uint8_t { queue_full, failed, rejected, file_full };
inline constexpr std::size_t span_losses = 4;

/// Threads: any.
struct Counters {
  // Many threads add to these two all the time: a line of their own each.
  alignas(64) CounterGrid<connectors> output_bytes;
  alignas(64) CounterGrid<connectors> input_bytes;
  alignas(64) CounterGrid<connectors> launched;
  CounterGrid<connectors> launch_failures;
  CounterGrid<connectors, close_causes> closed;
  CounterGrid<connectors, program_ends> program_ends_by;
  CounterGrid<subscription_ends> subscription_ends_by;
  Counter resyncs;
  Counter lost_bytes;
  CounterGrid<wait_kinds, wait_ends> waits;
  Counter commands_started;
  Counter commands_finished;
  Counter recordings;
  Counter recordings_failed;
  Counter recording_dropped_rows;
  DelayHistogram actor_delay;
  DelayHistogram reactor_delay;
  Counter spans_sent;
  CounterGrid<span_losses> spans_lost;
  Counter scrapes_refused;
};

}  // namespace troupe::telemetry
