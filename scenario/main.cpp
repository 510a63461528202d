// SPDX-License-Identifier: MIT
// `troupe-scenario`: what `troupe up` and `troupe down` become.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>

#include "base/standard_streams.hpp"
#include "client/cli/command.hpp"
#include "client/cli/companion_commands.hpp"
#include "client/cli/program.hpp"
#include "scenario/commands.hpp"

namespace {

namespace cli = troupe::client::cli;

void describe(CLI::App& app, cli::Context& context) {
  app.description("troupe-scenario - sets of terminals from files; `troupe up` and `troupe down`");
  app.name("troupe");
  app.require_subcommand(0, 1);
  {
    auto options = std::make_shared<cli::UpOptions>();
    cli::Command command(app, cli::up_text());
    cli::describe_up(command, *options, context);
    cli::on_run(command, context, options, troupe::scenario::up);
  }
  auto options = std::make_shared<cli::DownOptions>();
  cli::Command command(app, cli::down_text());
  cli::describe_down(command, *options, context);
  cli::on_run(command, context, options, troupe::scenario::down);
}

}  // namespace

int main(int argc, char** argv) {
  troupe::hold_standard_streams();
  try {
    std::signal(SIGPIPE, SIG_IGN);
    return cli::status_after_output(cli::run_program(argc, argv, describe));
  } catch (const std::exception& error) {
    return cli::fail({troupe::Code::internal, error.what()});
  }
}
