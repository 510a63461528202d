// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/load/bare_pty.hpp"
#include "bench/load/measure.hpp"
#include "bench/load/rendezvous.hpp"
#include "bench/load/samples.hpp"
#include "bench/streams.hpp"

namespace troupe::bench {
namespace {

enum class Viewer : std::uint8_t { none, controller };

constexpr double bytes_per_mb = 1e6;

struct Bulk {
  const Plan& plan;
  const Rendezvous& rendezvous;
  std::string_view kind;

  [[nodiscard]] std::vector<std::string> child() const {
    return {plan.self,         "child",           "bulk",
            rendezvous.path(), std::string(kind), std::to_string(plan.bulk_bytes)};
  }
  [[nodiscard]] double rate(double ms) const {
    return static_cast<double>(plan.bulk_bytes) / bytes_per_mb / (ms / 1000);
  }
};

/// Reads until the child's question has come, which is the last thing it prints.
void read_to_the_question(Connection& stream) {
  static constexpr std::string_view question = "\x1b[5n";
  std::string tail;
  while (tail.size() < question.size() ||
         tail.compare(tail.size() - question.size(), question.size(), question) != 0) {
    const Frame frame = stream.read();
    if (frame.is_output()) {
      const std::string_view bytes = frame.output();
      tail.append(bytes.substr(bytes.size() - std::min(bytes.size(), question.size())));
      tail.erase(0, tail.size() - std::min(tail.size(), question.size()));
    }
  }
}

double bare_ms(const Bulk& bulk) {
  BarePty pty(bulk.child());
  pty.drain();
  const UniqueFd child = bulk.rendezvous.accept();
  const auto begun = Clock::now();
  signal_peer(child.get());
  await_peer(child.get());
  return elapsed_ms(begun);
}

struct DaemonRun {
  double ms = 0;
  double cpu_ms = 0;
};

DaemonRun daemon_run(const Bulk& bulk, const Daemon& daemon, Viewer viewer) {
  const std::string id = daemon.create(bulk.child());
  const UniqueFd child = bulk.rendezvous.accept();
  std::optional<Connection> stream;
  if (viewer == Viewer::controller) {
    stream.emplace(daemon.endpoint());
    stream->send(R"("op":"subscribe","attachment_id":"load","role":"controller","takeover":false,)"
                 R"("offset":0,"id":)" +
                 id);
    (void)stream->read();
  }
  DaemonRun run;
  const double cpu_before = daemon.cpu_ms();
  const auto begun = Clock::now();
  signal_peer(child.get());
  if (stream) {
    read_to_the_question(*stream);
  }
  await_peer(child.get());
  run.ms = elapsed_ms(begun);
  run.cpu_ms = daemon.cpu_ms() - cpu_before;
  daemon.terminate(id);
  return run;
}

void measure_kind(const Bulk& bulk, const Daemon& daemon, Viewer viewer, Report& report) {
  Samples bare;
  Samples wall;
  Samples cpu;
  for (std::size_t round = 0; round < bulk.plan.rounds; ++round) {
    bare.add(bulk.rate(bare_ms(bulk)));
    const DaemonRun run = daemon_run(bulk, daemon, viewer);
    wall.add(bulk.rate(run.ms));
    cpu.add(run.cpu_ms / (static_cast<double>(bulk.plan.bulk_bytes) / bytes_per_mb));
  }
  const std::string name = std::string("bulk ") + std::string(bulk.kind) +
                           (viewer == Viewer::none ? ", no subscriber" : ", one subscriber");
  report.add(
      {name, wall.median() / bare.median(), "x bare",
       "bare " + fixed(bare.median(), 0) + " MB/s, daemon " + fixed(wall.median(), 0) + " MB/s"});
  report.add({name + ": CPU", cpu.median(), "ms/MB", ""});
}

}  // namespace

void measure_bulk(const Plan& plan, Report& report) {
  const Rendezvous rendezvous(plan.directory);
  const Daemon daemon(plan.daemon, plan.directory);
  for (const Viewer viewer : {Viewer::none, Viewer::controller}) {
    for (const StreamKind& kind : stream_kinds()) {
      measure_kind({plan, rendezvous, kind.name}, daemon, viewer, report);
    }
  }
}

}  // namespace troupe::bench
