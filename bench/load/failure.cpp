// SPDX-License-Identifier: MIT
#include "bench/load/failure.hpp"

#include <cerrno>
#include <system_error>

namespace troupe::bench {

void throw_errno(const std::string& call) {
  throw Failure(call + ": " + std::generic_category().message(errno));
}

}  // namespace troupe::bench
