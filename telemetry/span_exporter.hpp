// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Brings spans to a collector or a file, on a thread of its own: a collector that is slow, broken
/// or gone must never be felt by a terminal.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "telemetry/otlp.hpp"
#include "telemetry/settings.hpp"

namespace troupe::telemetry {

/// Threads: `add` any, it never blocks on what is outside; `dropped` is called on the exporter's
///   thread or by `add`, and outlives nothing: it must own what it uses.
/// Bounds: `max_queued_spans`; more are dropped and counted. Batches of at most a second.
/// Order: the destructor waits at most a second for what is queued.
class SpanExporter {
 public:
  static constexpr std::size_t max_queued_spans = 2048;
  using Dropped = std::function<void(std::uint64_t spans)>;

  SpanExporter(SpanSettings settings, Dropped dropped);
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  void add(Span span);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace troupe::telemetry
