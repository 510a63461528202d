// SPDX-License-Identifier: MIT
// The command that prints completions.
#include "client/cli/command.hpp"
#include "client/cli/completions.hpp"

namespace troupe::client::cli {
namespace {

struct ShellOptions {
  std::string shell;
};

}  // namespace

void add_shell_commands(CLI::App& app, Context& context) {
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
