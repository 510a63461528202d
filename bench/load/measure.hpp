// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The measurements. Each starts a daemon of its own, so that none sees what another left behind,
/// and puts its figures into the report.

#include <cstddef>
#include <string>

#include "bench/load/daemon.hpp"
#include "bench/load/report.hpp"

namespace troupe::bench {

struct Plan {
  DaemonCommand daemon;
  std::string directory;  // of this run, removed by the caller
  std::string self;       // this program, which is also the child in the terminals
  std::size_t bulk_bytes = 32'000'000;
  std::size_t recorded_bytes = 100'000'000;
  std::size_t rounds = 3;  // of each bulk figure; the median counts
  std::size_t keys = 500;
  std::size_t creations = 200;
  std::size_t terminals = 1'000;
  std::size_t reads = 200;
  double idle_seconds = 10;
};

/// Output as fast as a child prints it, by stream kind, without a subscriber and with one.
void measure_bulk(const Plan& plan, Report& report);
/// What recording adds to bulk output, in turns with the same output unrecorded; each recording is
/// read back and compared with what the child printed.
void measure_recording(const Plan& plan, Report& report);
/// One byte through client, daemon, child and back.
void measure_echo(const Plan& plan, Report& report);
/// Terminals created per second, one after the other.
void measure_create(const Plan& plan, Report& report);
/// What terminals cost that do nothing, and `list` over all of them.
void measure_idle(const Plan& plan, Report& report);
/// `snapshot` of a screen with history.
void measure_snapshot(const Plan& plan, Report& report);

}  // namespace troupe::bench
