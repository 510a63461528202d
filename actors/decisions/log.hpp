// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where the service reports to. Lines carry ids of terminals and connections; never the token,
/// never terminal content.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace troupe::actors {

enum class LogLevel : std::uint8_t { debug, info, warn, error };

/// Threads: any; the function must allow that.
struct Log {
  LogLevel least = LogLevel::warn;  ///< what is below is not even composed
  std::function<void(LogLevel, const std::string&)> write;

  /// `compose` gives the line, and is only called where it is wanted.
  template <class Compose>
  void operator()(LogLevel level, Compose&& compose) const {
    if (level >= least && write) {
      write(level, std::forward<Compose>(compose)());
    }
  }
};

}  // namespace troupe::actors
