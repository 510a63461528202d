// SPDX-License-Identifier: MIT
#include "mcp/batch.hpp"

namespace troupe::mcp {

void Batch::answer(std::string_view message) {
  answers_ += answers_.empty() ? '[' : ',';
  answers_ += message;
  settle();
}

void Batch::settle() {
  if (--awaited_ == 0 && !answers_.empty()) {
    send_(std::exchange(answers_, {}) + "]");
  }
}

}  // namespace troupe::mcp
