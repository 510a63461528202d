// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "base/base64.hpp"
#include "bench/load/child.hpp"
#include "bench/load/failure.hpp"
#include "bench/load/measure.hpp"
#include "bench/load/rendezvous.hpp"
#include "bench/load/samples.hpp"
#include "bench/streams.hpp"

namespace troupe::bench {
namespace {

constexpr double bytes_per_mb = 1e6;
constexpr double thread_end_ms = 5'000;

struct Run {
  double ms = 0;
  double cpu_ms = 0;
  double recorder_ms = 0;  ///< of it: of the thread that wrote the recording
};

/// What the terminal gives: the child's lines with CR LF, and its question.
std::string printed(std::string_view kind, std::size_t bytes) {
  const std::string lines = bulk_output(kind, bytes);
  std::string out;
  out.reserve(lines.size() + lines.size() / 16);
  for (const char c : lines) {
    if (c == '\n') {
      out.push_back('\r');
    }
    out.push_back(c);
  }
  return out + "\x1b[5n";
}

/// The bytes that a recording holds, read with no code of the daemon's.
std::string recorded(const std::string& path) {
  std::ifstream file(path);
  std::string bytes;
  std::string line;
  bool has_end = false;
  while (std::getline(file, line)) {
    const nlohmann::json row = nlohmann::json::parse(line);
    has_end = row.at("action") == "terminal_stop";
    if (has_end && row.at("dropped_rows") != 0) {
      throw Failure("rows were dropped");
    }
    if (row.at("action") == "recording_lost") {
      throw Failure("the disk does not keep up: " + line);
    }
    if (row.at("action") != "terminal_output") {
      continue;
    }
    if (row.at("offset") != bytes.size()) {
      throw Failure("a row's offset is wrong: " + line.substr(0, 200));
    }
    const auto text = row.find("data");
    bytes += text != row.end() ? text->get<std::string>()
                               : base64_decode(row.at("data_base64").get<std::string>()).value();
  }
  if (!has_end) {
    throw Failure("a recording has no stop row");
  }
  return bytes;
}

/// One run; recorded where there is a path. It ends when the file is whole: the recorder's thread
/// may work on after the last byte of output.
Run run(const Plan& plan, const Rendezvous& rendezvous, const Daemon& daemon, std::string_view kind,
        const std::string& path) {
  std::string request = create_request({plan.self, "child", "bulk", rendezvous.path(),
                                        std::string(kind), std::to_string(plan.recorded_bytes)});
  if (!path.empty()) {
    request += ",\"recording\":{\"path\":" + nlohmann::json(path).dump() + "}";
  }
  const std::string id = created_id(daemon.ask(request));
  const UniqueFd child = rendezvous.accept();
  Run result;
  const double threads = daemon.threads() - (path.empty() ? 0 : 1);
  const double cpu_before = daemon.cpu_ms();
  const double living_before = daemon.living_threads_cpu_ms();
  const auto begun = Clock::now();
  signal_peer(child.get());
  await_peer(child.get());
  result.ms = elapsed_ms(begun);
  if (!path.empty()) {
    (void)daemon.ask(R"("op":"record","recording":false,"id":)" + id);
  }
  // The recorder's thread ends just after its file is whole; then what it used is what the threads
  // that live did not.
  const auto told = Clock::now();
  while (daemon.threads() > threads && elapsed_ms(told) < thread_end_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  result.cpu_ms = daemon.cpu_ms() - cpu_before;
  result.recorder_ms = result.cpu_ms - (daemon.living_threads_cpu_ms() - living_before);
  daemon.terminate(id);
  return result;
}

void measure_kind(const Plan& plan, const Rendezvous& rendezvous, const Daemon& daemon,
                  std::string_view kind, Report& report) {
  const std::string wanted = printed(kind, plan.recorded_bytes);
  const std::string path = plan.directory + "/recording.jsonl";
  Samples plain;
  Samples with;
  Samples added;
  Samples share;
  Samples slowed;
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    Run off;
    Run on;
    // The second of two runs is not always the warmer one.
    if (round % 2 == 0) {
      off = run(plan, rendezvous, daemon, kind, {});
    }
    on = run(plan, rendezvous, daemon, kind, path);
    if (round % 2 != 0) {
      off = run(plan, rendezvous, daemon, kind, {});
    }
    if (recorded(path) != wanted) {
      throw Failure("the recording is not what was printed: " + std::string(kind));
    }
    std::filesystem::remove(path);
    plain.add(off.cpu_ms);
    with.add(on.cpu_ms);
    added.add((on.cpu_ms / off.cpu_ms - 1) * 100);
    share.add(on.recorder_ms / (on.cpu_ms - on.recorder_ms) * 100);
    slowed.add(off.ms / on.ms);
  }
  const double mb = static_cast<double>(plan.recorded_bytes) / bytes_per_mb;
  const std::string name = "recording " + std::string(kind);
  // On a busy machine two runs differ by more than the recorder costs; its thread and the rest of
  // one run are slowed alike.
  report.add({name + ": its thread's CPU", share.median(), "% of the rest", "byte-exact"});
  report.add({name + ": CPU added", added.median(), "%",
              fixed(plain.median() / mb, 2) + " ms/MB without, " + fixed(with.median() / mb, 2) +
                  " with; least " + fixed(plain.percentile(0) / mb, 2) + " and " +
                  fixed(with.percentile(0) / mb, 2)});
  report.add({name + ": rate", slowed.median(), "x without", ""});
}

}  // namespace

void measure_recording(const Plan& plan, Report& report) {
  const Rendezvous rendezvous(plan.directory);
  const Daemon daemon(plan.daemon, plan.directory);
  if (!daemon.has_feature("recording")) {
    return;
  }
  for (const StreamKind& kind : stream_kinds()) {
    measure_kind(plan, rendezvous, daemon, kind.name, report);
  }
}

}  // namespace troupe::bench
