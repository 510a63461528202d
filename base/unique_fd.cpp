// SPDX-License-Identifier: MIT
#include "base/unique_fd.hpp"

#include <unistd.h>

#include <cerrno>

namespace troupe {

void UniqueFd::reset(int fd) noexcept {
  const int old = std::exchange(fd_, fd);
  if (old >= 0) {
    const int saved = errno;
    ::close(old);
    errno = saved;
  }
}

}  // namespace troupe
