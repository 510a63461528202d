// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where the daemon logs to. Nothing is printed in normal service; the token and terminal content
/// never are.

#include <string>

#include "base/result.hpp"

namespace troupe::daemon {

/// Sets spdlog's default logger: stderr, or `file`. `io` where the file cannot be opened.
Result<> start_logging(const std::string& file, const std::string& level);

}  // namespace troupe::daemon
