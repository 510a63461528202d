// SPDX-License-Identifier: MIT
// `troupe`: the command line.
#include <csignal>
#include <exception>

#include "base/standard_streams.hpp"
#include "client/cli/context.hpp"
#include "client/cli/program.hpp"

namespace cli = troupe::client::cli;

int main(int argc, char** argv) {
  troupe::hold_standard_streams();
  try {
    std::signal(SIGPIPE, SIG_IGN);
    return cli::status_after_output(cli::run_program(argc, argv));
  } catch (const std::exception& error) {
    return cli::fail({troupe::Code::internal, error.what()});
  }
}
