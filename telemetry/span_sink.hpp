// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where a batch of spans goes, and what became of it.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "telemetry/otel_settings.hpp"

namespace troupe::telemetry {

/// `retry`: the same batch may fare better later. `rejected`: it never will. `full`: there is no
/// room for it, and others may find some.
enum class Fate : std::uint8_t { sent, retry, rejected, full };

struct Delivery {
  Fate fate = Fate::sent;
  std::uint64_t rejected = 0;  ///< spans that a collector refused of a batch that it took
  std::string why;             ///< for people, where it is not `sent`
};

/// Threads: `deliver` on the exporter's own thread, which it may block; `hurry` from any.
class SpanSink {
 public:
  using Clock = std::chrono::steady_clock;

  SpanSink() = default;
  SpanSink(const SpanSink&) = delete;
  SpanSink& operator=(const SpanSink&) = delete;
  virtual ~SpanSink() = default;
  /// Ends at the deadline; only a name server and a disk can keep it longer.
  virtual Delivery deliver(const std::string& line, Clock::time_point deadline) = 0;
  /// The delivery that runs and all later ones end by then.
  virtual void hurry(Clock::time_point /*deadline*/) {}
};

std::unique_ptr<SpanSink> make_http_sink(const SpanSettings& settings, const std::string& version);
/// The largest a file of spans grows.
inline constexpr std::uint64_t span_file_bytes = std::uint64_t{64} * 1024 * 1024;

/// Lines of a file that is opened for each batch, so that it may be moved away. Only a regular file
/// (made with mode 0600 where there is none) is written, and no link is followed; a line that did
/// not fit on the disk is taken back. A line that would make it larger than `max_bytes` is `full`:
/// those that come after the file was moved or emptied are written again.
std::unique_ptr<SpanSink> make_file_sink(const std::string& path,
                                         std::uint64_t max_bytes = span_file_bytes);

}  // namespace troupe::telemetry
