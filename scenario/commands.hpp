// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// `troupe up` and `troupe down`.

#include "client/cli/companion_commands.hpp"
#include "client/cli/context.hpp"

namespace troupe::scenario {

/// Starts a scenario. All or nothing: what was started is closed again where something fails,
/// unless that is to be kept. Returns the exit status.
int up(client::cli::Context& context, const client::cli::UpOptions& options);

/// Closes what a scenario started. One that is not up is no error.
int down(client::cli::Context& context, const client::cli::DownOptions& options);

}  // namespace troupe::scenario
