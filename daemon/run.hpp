// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The daemon's life: take the runtime directory, listen, register, serve, clean up.

#include "base/result.hpp"
#include "daemon/options.hpp"

namespace troupe::daemon {

/// Serves until the owner is lost, a shutdown, or a signal. Returns how it went.
Result<> run(const Options& options);

}  // namespace troupe::daemon
