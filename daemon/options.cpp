// SPDX-License-Identifier: MIT
#include "daemon/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/environment.hpp"
#include "protocol/version.hpp"
#include "registration/registration.hpp"

namespace troupe::daemon {
namespace {

using Parsed = std::variant<Options, PrintAndExit>;

std::string version_text() {
  return "troupe " + std::string{protocol::program_version} + " (protocol " +
         std::to_string(protocol::protocol_version) + ")\n";
}

Result<std::string> choose_directory(const CLI::Option& name_option, const std::string& name,
                                     const std::string& root) {
  if (name_option.count() > 0) {
    return registration::runtime_directory(root, name);
  }
  if (auto directory = environment_value("OPENCODE_PTY_RUNTIME_DIR")) {
    return *directory;
  }
  return Error{Code::bad_request, "--name is required"};
}

}  // namespace

Result<Parsed> parse_options(std::vector<std::string> arguments) {
  Options options;
  std::string name;
  std::string root;
  std::vector<std::string> words;
  bool version = false;
  CLI::App app{"Owns terminals and serves them to clients over a private socket.", "trouped"};
  auto* const name_option = app.add_option("--name", name, "name of this daemon: [A-Za-z0-9._-]+");
  app.add_option("--runtime-dir", root, "directory of all daemons' registrations");
  app.add_flag("--standalone", options.standalone, "live without an owner until shutdown");
  app.add_option("--log-file", options.log_file, "log to this file instead of stderr");
  app.add_option("--log-level", options.log_level, "trace, debug, info, warn, error or off")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}));
  auto* const metrics_option = app.add_option(
      "--metrics", options.metrics,
      "serve Prometheus metrics at HOST:PORT (loopback only) or unix:PATH; off: nowhere");
  app.add_flag("--version,-V", version, "print the version");
  app.add_option("word", words, "the word `daemon`, for those who expect it");
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return Parsed{PrintAndExit{app.help()}};
  } catch (const CLI::ParseError& error) {
    return Error{Code::bad_request, error.what()};
  }
  if (version) {
    return Parsed{PrintAndExit{version_text()}};
  }
  if (words.size() > 1 || (words.size() == 1 && words.front() != "daemon")) {
    return Error{Code::bad_request, "unknown command: " + words.back()};
  }
  Result<std::string> directory = choose_directory(*name_option, name, root);
  if (!directory) {
    return directory.error();
  }
  options.runtime_directory = std::move(*directory);
  if (metrics_option->count() == 0) {
    options.metrics = environment_value("TROUPE_METRICS").value_or("");
  }
  if (options.metrics == "off") {
    options.metrics.clear();
  }
  return Parsed{std::move(options)};
}

}  // namespace troupe::daemon
