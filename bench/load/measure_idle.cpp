// SPDX-License-Identifier: MIT
#include <thread>

#include "bench/load/measure.hpp"
#include "bench/load/samples.hpp"

namespace troupe::bench {
namespace {

// The first terminals also pay for what the daemon sets up once.
constexpr std::size_t warm_up_terminals = 20;
constexpr std::chrono::seconds settle_time{2};

void create_many(const Daemon& daemon, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    (void)daemon.create({"/bin/cat"});
  }
}

void measure_footprint(const Plan& plan, const Daemon& daemon, Report& report) {
  const std::size_t counted = plan.terminals / 2;
  create_many(daemon, warm_up_terminals);
  std::this_thread::sleep_for(settle_time);
  const double kib_before = daemon.resident_kib();
  const double threads_before = daemon.threads();
  create_many(daemon, counted);
  std::this_thread::sleep_for(settle_time);
  const auto count = static_cast<double>(counted);
  report.add({"resident memory of an idle terminal", (daemon.resident_kib() - kib_before) / count,
              "KiB", "over " + std::to_string(counted)});
  report.add({"threads of an idle terminal", (daemon.threads() - threads_before) / count, "", ""});
}

}  // namespace

void measure_idle(const Plan& plan, Report& report) {
  const Daemon daemon(plan.daemon, plan.directory);
  const double kib_empty = daemon.resident_kib();
  measure_footprint(plan, daemon, report);
  report.add({"resident memory without terminals", kib_empty, "KiB", ""});
  create_many(daemon, plan.terminals - plan.terminals / 2 - warm_up_terminals);
  std::this_thread::sleep_for(settle_time);

  const double cpu_before = daemon.cpu_ms();
  std::this_thread::sleep_for(std::chrono::duration<double>(plan.idle_seconds));
  const double cpu_share = (daemon.cpu_ms() - cpu_before) / (plan.idle_seconds * 1000);
  const std::string of_all = std::to_string(plan.terminals) + " terminals";
  report.add({"idle CPU with " + of_all, cpu_share * 100, "% core",
              "over " + fixed(plan.idle_seconds, 0) + " s"});

  Samples list;
  for (std::size_t i = 0; i < plan.reads / 4; ++i) {
    const auto begun = Clock::now();
    (void)daemon.ask(R"("op":"list")");
    list.add(elapsed_ms(begun));
  }
  report.add({"list of " + of_all + ": p50", list.median(), "ms", ""});
}

}  // namespace troupe::bench
