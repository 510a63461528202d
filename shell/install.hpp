// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Writes the integration files. A shell whose rc file is missing would silently start without the
/// user's own, so they are complete before any plan that names them is used.

#include <string>

#include "base/result.hpp"

namespace troupe::shell {

/// Writes `integration_files()` below `directory`, which it makes (0700) inside an existing
/// private directory; each file (0600) is replaced in one step, so a running shell never reads half
/// of one. Blocking; call it once, before the first terminal. `io` with the path that failed.
Result<> install(const std::string& directory);

}  // namespace troupe::shell
