// SPDX-License-Identifier: MIT
#include "bench/load/measure.hpp"
#include "bench/load/rendezvous.hpp"
#include "bench/load/samples.hpp"

namespace troupe::bench {
namespace {

// About 3,500 lines: more history than any checkpoint carries.
constexpr std::size_t history_bytes = 270'000;

void measure_kind(const Plan& plan, const std::string& kind, Report& report) {
  const Rendezvous rendezvous(plan.directory);
  const Daemon daemon(plan.daemon, plan.directory);
  const std::string id = daemon.create(
      {plan.self, "child", "bulk", rendezvous.path(), kind, std::to_string(history_bytes)});
  const UniqueFd child = rendezvous.accept();
  signal_peer(child.get());
  await_peer(child.get());

  Samples times;
  std::size_t answer_bytes = 0;
  const double cpu_before = daemon.cpu_ms();
  for (std::size_t i = 0; i < plan.reads; ++i) {
    const auto begun = Clock::now();
    answer_bytes = daemon.ask("\"op\":\"snapshot\",\"id\":" + id).size();
    times.add(elapsed_ms(begun));
  }
  const double cpu = (daemon.cpu_ms() - cpu_before) / static_cast<double>(plan.reads);
  report.add({"snapshot with history, " + kind + ": p50", times.median(), "ms",
              fixed(static_cast<double>(answer_bytes) / 1024, 0) + " KiB, " + fixed(cpu, 2) +
                  " CPU-ms each"});
}

}  // namespace

void measure_snapshot(const Plan& plan, Report& report) {
  measure_kind(plan, "plain", report);
  measure_kind(plan, "coloured", report);
}

}  // namespace troupe::bench
