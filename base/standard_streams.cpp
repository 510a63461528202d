// SPDX-License-Identifier: MIT
#include "base/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace troupe {

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Open the wrong way round, so that using it fails as it would if it were closed. The lowest
    // free descriptor is this one: those below it are open.
    if (::fcntl(fd, F_GETFD) == -1 &&
        ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
      return;  // no /dev/null: nothing better can be done, and nobody can be told
    }
  }
}

}  // namespace troupe
