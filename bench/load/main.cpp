// SPDX-License-Identifier: MIT
// troupe-load: what a protocol 7 daemon costs, beside a bare forkpty loop in the same run.
#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "bench/load/child.hpp"
#include "bench/load/measure.hpp"

namespace {

using troupe::bench::Plan;
using troupe::bench::Report;

struct Measurement {
  std::string name;
  void (*run)(const Plan&, Report&);
};

const std::vector<Measurement> measurements = {
    {"bulk", troupe::bench::measure_bulk},         {"recording", troupe::bench::measure_recording},
    {"echo", troupe::bench::measure_echo},         {"create", troupe::bench::measure_create},
    {"snapshot", troupe::bench::measure_snapshot}, {"idle", troupe::bench::measure_idle}};

/// A directory of this run, removed with it.
class RunDirectory {
 public:
  RunDirectory() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() / ("troupe-load." + std::to_string(random()));
    std::filesystem::create_directory(path_);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  /// A fresh sub-directory for one measurement.
  [[nodiscard]] std::string fresh(const std::string& name) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directory(path);
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

/// A thousand terminals need more descriptors than the usual soft limit.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

struct Options {
  Plan plan;
  std::string daemon;
  std::vector<std::string> only;
  std::string json_file;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--daemon", options.daemon, "Command of the daemon, with {name} and {dir}")
      ->required();
  app.add_option("--env", options.plan.daemon.environment, "KEY=VALUE for the daemon; repeatable");
  app.add_option("--registration", options.plan.daemon.registration, "Its registration file");
  app.add_option("--only", options.only,
                 "bulk, recording, echo, create, snapshot or idle; repeatable");
  app.add_option("--bulk-bytes", options.plan.bulk_bytes, "Bytes of one bulk run");
  app.add_option("--recorded-bytes", options.plan.recorded_bytes, "Bytes of one recorded run");
  app.add_option("--rounds", options.plan.rounds,
                 "Rounds of bulk, recording and create; the median counts");
  app.add_option("--keys", options.plan.keys, "Key presses of an echo figure");
  app.add_option("--creations", options.plan.creations, "Terminals of a create round");
  app.add_option("--terminals", options.plan.terminals, "Terminals of the idle figures");
  app.add_option("--json", options.json_file, "Also write the figures to this file");
}

int measure(Options& options, const std::string& self) {
  options.plan.daemon.command = split_words(options.daemon);
  options.plan.self = self;
  const RunDirectory directory;
  Report report;
  for (const Measurement& measurement : measurements) {
    const bool wanted = options.only.empty() ||
                        std::count(options.only.begin(), options.only.end(), measurement.name) != 0;
    if (wanted) {
      options.plan.directory = directory.fresh(measurement.name);
      measurement.run(options.plan, report);
    }
  }
  if (!options.json_file.empty()) {
    std::ofstream(options.json_file) << report.json() << '\n';
  }
  return 0;
}

int run(int argc, char** argv) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  if (argc > 1 && std::string_view(argv[1]) == "child") {
    return troupe::bench::run_child({argv + 2, argv + argc});
  }
  CLI::App app("Measures a protocol 7 daemon beside a bare forkpty loop.");
  Options options;
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  (void)::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  return measure(options, self);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "troupe-load: %s\n", error.what());
    return 1;
  }
}
