// SPDX-License-Identifier: MIT
// Commands that print text for other programs: shell-integration, completions.
#include "client/cli/command.hpp"
#include "client/cli/completions.hpp"
#include "client/cli/groups.hpp"
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
                          "~/.local/share/bash-completion/completions/troupe\n"});
    command.positional("SHELL", options->shell, "bash, zsh or fish");
    command.on_run([&app, &context, options] {
      const std::string text = completions(app, options->shell);
      if (text.empty()) {
        context.exit_code =
            usage_error("there are completions for bash, zsh and fish, not " + options->shell);
      } else {
        print(text);
      }
    });
  }
}

}  // namespace troupe::client::cli
