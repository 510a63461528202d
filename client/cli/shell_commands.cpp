// SPDX-License-Identifier: MIT
// Commands that print text for other programs: shell-integration, completions.
#include "client/cli/command.hpp"
#include "client/cli/completions.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/terminal_name.hpp"
#include "shell/snippet.hpp"

namespace troupe::client::cli {
namespace {

struct ShellOptions {
  std::string shell;
};

int print_snippet(const Context& /*context*/, const ShellOptions& options) {
  const auto shell = shell::shell_named(options.shell);
  if (!shell) {
    return usage_error("there is shell integration for bash, zsh and fish, not " + options.shell);
  }
  print(shell::snippet(*shell));
  return exit_status::ok;
}

int print_completions(const CLI::App& app, const std::string& shell) {
  const std::string text = completions(app, shell);
  if (text.empty()) {
    return usage_error("there are completions for bash, zsh and fish, not " + shell);
  }
  print(text);
  return exit_status::ok;
}

/// For the completions themselves, which would have to take a table for people apart.
int print_terminal_names(Client& client) {
  const auto list = client.ask<reply::Terminals>(request::List{});
  if (!list) {
    return fail(list.error());
  }
  std::string text;
  for (const std::string& word : completion_words(list->terminals)) {
    text += word + '\n';
  }
  print(text);
  return exit_status::ok;
}

}  // namespace

void add_shell_commands(CLI::App& app, Context& context) {
  {
    auto options = std::make_shared<ShellOptions>();
    Command command(
        app, {group::commands, "shell-integration",
              "Print the lines that make your shell mark its commands",
              "  echo 'eval \"$(troupe shell-integration bash)\"' >> ~/.bashrc\n"
              "  echo 'eval \"$(troupe shell-integration zsh)\"' >> ~/.zshrc\n"
              "  echo 'troupe shell-integration fish | source' >> ~/.config/fish/config.fish\n"});
    command.positional("SHELL", options->shell, "bash, zsh or fish");
    on_run(command, context, options, print_snippet);
  }
  {
    auto options = std::make_shared<ShellOptions>();
    Command command(app, {"Help", "completions", "Print the completions for your shell",
                          "  troupe completions bash > "
                          "~/.local/share/bash-completion/completions/troupe\n"
                          "  troupe completions terminals      (what they offer, a line each)\n"});
    command.positional("SHELL", options->shell, "bash, zsh or fish; or terminals: their names");
    command.on_run([&app, &context, options] {
      if (options->shell == "terminals") {
        with_client(context, print_terminal_names);
      } else {
        context.exit_code = print_completions(app, options->shell);
      }
    });
  }
}

}  // namespace troupe::client::cli
