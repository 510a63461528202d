// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How late the io thread is: a timer that compares when it ran with when it was due. It costs one
/// wake-up a second, so it runs only where somebody may look.

#include <chrono>
#include <functional>
#include <memory>

#include "telemetry/counters.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::telemetry {

/// Threads: only the io thread.
/// Ownership: borrows the histogram; the destructor ends the timer.
class DelayProbe {
 public:
  static constexpr std::chrono::milliseconds interval{1000};

  /// `each_turn` is called with every turn: the place for other probes.
  DelayProbe(boost::asio::io_context& io, DelayHistogram& delays, std::function<void()> each_turn);
  DelayProbe(const DelayProbe&) = delete;
  DelayProbe& operator=(const DelayProbe&) = delete;
  ~DelayProbe();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe::telemetry
