// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Clears away what daemons left behind that could not clean up themselves (killed, power lost).

#include <atomic>
#include <cstddef>
#include <string>

namespace troupe::registration {

/// Removes abandoned siblings of `own` (a canonical runtime directory): not touched for ten
/// minutes, nothing in them but `service.json`, `service.lock` and `service.*.tmp`, and either a
/// lock that nobody holds or, without one, a registration whose process is gone. With them goes
/// their derived socket. Symlinks, empty and foreign directories stay. Returns how many it removed.
///
/// Threads: any; made for a thread of its own beside the service. `stop` ends it early.
std::size_t sweep_siblings(const std::string& own, const std::atomic<bool>& stop);

}  // namespace troupe::registration
