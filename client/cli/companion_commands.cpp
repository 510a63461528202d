// SPDX-License-Identifier: MIT
#include "client/cli/companion_commands.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "client/cli/groups.hpp"

namespace troupe::client::cli {
namespace {

namespace fs = std::filesystem;

struct Companion {
  std::string name;
  std::string folder;  ///< where it is in a build tree, beside the one of this program
};

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
  return companion.name;
}

/// Becomes the other program, for the same daemon; returns only where that fails.
int become(const Context& context, const Companion& companion, std::vector<std::string> words,
           const std::vector<std::string>& operands) {
  const std::string program = find_program(companion);
  words.insert(words.begin(), program);
  words.insert(words.end(), {"--name", context.address.name});
  if (!context.address.root.empty()) {
    words.insert(words.end(), {"--runtime-dir", context.address.root});
  }
  if (!operands.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), operands.begin(), operands.end());
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::execvp(program.c_str(), arguments.data());
  const std::string hint = errno == ENOENT ? " (is it installed?)" : "";
  return fail(Error{Code::io, "cannot run " + program + ": " + std::strerror(errno) + hint});
}

void add_if(std::vector<std::string>& words, bool given, const char* flag) {
  if (given) {
    words.emplace_back(flag);
  }
}

int up(const Context& context, const UpOptions& options) {
  std::vector<std::string> words{"up"};
  add_if(words, options.replace, "--replace");
  add_if(words, options.keep, "--keep");
  add_if(words, options.check, "--check");
  add_if(words, context.json, "--json");
  return become(context, {"troupe-scenario", "scenario"}, words, {options.file});
}

int down(const Context& context, const DownOptions& options) {
  std::vector<std::string> words{"down"};
  add_if(words, options.force, "--force");
  add_if(words, context.json, "--json");
  return become(context, {"troupe-scenario", "scenario"}, words, {options.named});
}

struct McpOptions {};

int mcp(const Context& context, const McpOptions& /*options*/) {
  return become(context, {"troupe-mcp", "mcp"}, {}, {});
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
