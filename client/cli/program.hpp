// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The table of commands, and how a command line finds its way to one.

#include "client/cli/context.hpp"

namespace troupe::client::cli {

/// Adds every command to the program. `context` must outlive `app`.
void describe(CLI::App& app, Context& context);

/// What a program's commands are.
using Describe = void (*)(CLI::App& app, Context& context);

/// The whole program, `troupe` or one that carries out some of its commands: returns the exit
/// status.
int run_program(int count, char** arguments, Describe describe_commands = describe);

}  // namespace troupe::client::cli
