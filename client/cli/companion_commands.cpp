// SPDX-License-Identifier: MIT
#include "client/cli/companion_commands.hpp"

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "client/cli/become.hpp"
#include "client/cli/groups.hpp"

namespace troupe::client::cli {
namespace {

namespace fs = std::filesystem;

struct Companion {
  std::string_view name;
  std::string_view folder;  ///< where it is in a build tree, beside the one of this program
};

constexpr Companion scenario{"troupe-scenario", "scenario"};

/// Beside the running program, or in the build tree; else what PATH has.
std::string find_program(const Companion& companion) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path here = self.parent_path();
  for (const fs::path& candidate :
       {here / companion.name, here / ".." / companion.folder / companion.name}) {
    if (!error && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate.lexically_normal().string();
    }
  }
  return std::string(companion.name);
}

void add_if(std::vector<std::string>& words, bool given, const char* flag) {
  if (given) {
    words.emplace_back(flag);
  }
}

int up(const Context& context, const UpOptions& options) {
  std::vector<std::string> words{find_program(scenario), "up"};
  add_if(words, options.replace, "--replace");
  add_if(words, options.keep, "--keep");
  add_if(words, options.check, "--check");
  add_if(words, context.json, "--json");
  return become(context, words, {options.file});
}

int down(const Context& context, const DownOptions& options) {
  std::vector<std::string> words{find_program(scenario), "down"};
  add_if(words, options.force, "--force");
  add_if(words, context.json, "--json");
  return become(context, words, {options.named});
}

struct McpOptions {};

int mcp(const Context& context, const McpOptions& /*options*/) {
  return become(context, {find_program({"troupe-mcp", "mcp"})});
}

}  // namespace

CommandText up_text() {
  return {group::sets, "up", "Start the terminals of a scenario file, in order",
          "  troupe up web.yaml               (see docs/scenarios.md for the file)\n"
          "  troupe up --check web.yaml       (only look for faults)\n"
          "  troupe up --replace web.yaml     (close what it started before)\n"};
}

void describe_up(Command& command, UpOptions& options, Context& context) {
  command.positional("FILE", options.file, "The scenario, as YAML");
  command.flag("--replace", options.replace, "Close the scenario's running terminals first");
  command.flag("--keep", options.keep, "Keep what was started when something fails");
  command.flag("--check", options.check, "Check the file and show the order; start nothing");
  command.flag("--json", context.json, "Print what happens as lines of JSON");
}

CommandText down_text() {
  return {group::sets, "down", "Close the terminals that a scenario started",
          "  troupe down web.yaml\n  troupe down web\n"};
}

void describe_down(Command& command, DownOptions& options, Context& context) {
  command.positional("SCENARIO", options.named, "The scenario's file, or its name");
  command.flag("--force", options.force, "Close protected terminals too");
  command.flag("--json", context.json, "Print what happens as lines of JSON");
}

void add_companion_commands(CLI::App& app, Context& context) {
  {
    auto options = std::make_shared<UpOptions>();
    Command command(app, up_text());
    describe_up(command, *options, context);
    on_run(command, context, options, up);
  }
  {
    auto options = std::make_shared<DownOptions>();
    Command command(app, down_text());
    describe_down(command, *options, context);
    on_run(command, context, options, down);
  }
  Command command(app, {"Agents", "mcp", "Serve the Model Context Protocol on stdin and stdout",
                        "  troupe mcp        (as the command of an MCP client's server)\n"});
  on_run(command, context, std::make_shared<McpOptions>(), mcp);
}

}  // namespace troupe::client::cli
