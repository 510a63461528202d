// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Looks at /proc on a thread of its own, once for all who ask at the same time.

#include <functional>
#include <mutex>
#include <vector>

#include "pty/process_table.hpp"
#include "pty/worker.hpp"

namespace troupe::pty {

/// Gives callers a process table that was read after they asked.
///
/// Threads: `scan` from any thread; `use` runs on the scanner's own and may block there.
/// Order: requests that arrive while one table is in use share the next, so a thousand terminals
///   that end together cost two walks.
class ProcessScanner {
 public:
  using Use = std::function<void(const ProcessTable&)>;

  ProcessScanner();
  void scan(Use use);

 private:
  void run();

  std::mutex mutex_;
  std::vector<Use> waiting_;
  Worker worker_;  ///< last: its thread uses the members above
};

}  // namespace troupe::pty
