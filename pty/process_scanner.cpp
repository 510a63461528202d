// SPDX-License-Identifier: MIT
#include "pty/process_scanner.hpp"

#include <utility>

namespace troupe::pty {

ProcessScanner::ProcessScanner() : worker_("troupe-proc") {}

void ProcessScanner::scan(Use use) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = waiting_.empty();
    waiting_.push_back(std::move(use));
  }
  if (first) {
    worker_.post([this] { run(); });
  }
}

void ProcessScanner::run() {
  // Taken before the table is read, so that the table is never older than the request.
  std::vector<Use> uses;
  {
    const std::lock_guard lock(mutex_);
    uses = std::exchange(waiting_, {});
  }
  const auto table = ProcessTable::read();
  for (const auto& use : uses) {
    use(table);
  }
}

}  // namespace troupe::pty
