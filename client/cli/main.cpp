// SPDX-License-Identifier: MIT
// `troupe`: the command line.
#include <csignal>
#include <exception>

#include "client/cli/program.hpp"

int main(int argc, char** argv) {
  try {
    std::signal(SIGPIPE, SIG_IGN);
    return troupe::client::cli::run_program(argc, argv);
  } catch (const std::exception& error) {
    return troupe::client::cli::fail({troupe::Code::internal, error.what()});
  }
}
