// SPDX-License-Identifier: MIT
#include "client/cli/completions.hpp"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "client/cli/program.hpp"

using namespace troupe::client::cli;

namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The long options that a command's `--help` shows.
std::set<std::string> options_in_help(const std::string& help) {
  std::set<std::string> options;
  const std::regex row("^ +(-[^ ,]+,)?(--[a-z-]+)", std::regex::multiline);
  for (auto it = std::sregex_iterator(help.begin(), help.end(), row); it != std::sregex_iterator();
       ++it) {
    options.insert((*it)[2]);
  }
  return options;
}

}  // namespace

TEST_CASE("completions: the files of the tree are what the program prints") {
  Context context;
  CLI::App app;
  describe(app, context);
  for (const auto& [shell, file] : {std::pair<std::string, std::string>{"bash", "troupe.bash"},
                                    {"zsh", "_troupe"},
                                    {"fish", "troupe.fish"}}) {
    CAPTURE(shell);
    CHECK(completions(app, shell) ==
          file_text(std::string(TROUPE_SOURCE_DIR) + "/completions/" + file));
  }
  CHECK(completions(app, "tcsh").empty());
}

TEST_CASE("completions: every command and option of the help is in every script") {
  Context context;
  CLI::App app;
  describe(app, context);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  CHECK(commands.size() >= 25);
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    const std::string script = completions(app, shell);
    for (CLI::App* const command : commands) {
      CAPTURE(command->get_name());
      CHECK(script.find(command->get_name()) != std::string::npos);
      const std::set<std::string> options = options_in_help(command->help());
      CHECK(options.count("--help") == 1);
      for (const std::string& option : options) {
        CAPTURE(option);
        const std::string wanted =
            std::string(shell) == "fish" ? "-l " + option.substr(2) + " " : option;
        CHECK(script.find(wanted) != std::string::npos);
      }
    }
  }
}

TEST_CASE("completions: every command has a description and an example in its help") {
  Context context;
  CLI::App app;
  describe(app, context);
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CAPTURE(command->get_name());
    CHECK_FALSE(command->get_description().empty());
    CHECK(command->help().find("troupe " + command->get_name()) != std::string::npos);
  }
}
