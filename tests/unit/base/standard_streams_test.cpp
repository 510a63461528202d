// SPDX-License-Identifier: MIT
#include "base/standard_streams.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace {

/// What a process without these streams finds wrong, as bits; 0 for nothing.
int faults_without(bool in, bool out, bool err) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int fd : {0, 1, 2}) {
      if ((fd == 0 && in) || (fd == 1 && out) || (fd == 2 && err)) {
        ::close(fd);
      }
    }
    troupe::hold_standard_streams();
    char byte = 'x';
    int faults = ::open("/dev/null", O_RDWR) > 2 ? 0 : 1;
    faults |= !in || (::read(0, &byte, 1) == -1 && errno == EBADF) ? 0 : 2;
    faults |= !out || (::write(1, &byte, 1) == -1 && errno == EBADF) ? 0 : 4;
    faults |= !err || (::write(2, &byte, 1) == -1 && errno == EBADF) ? 0 : 8;
    ::_exit(faults);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("standard_streams: a closed stream stays unusable and no other file takes its place") {
  for (const bool in : {false, true}) {
    for (const bool out : {false, true}) {
      for (const bool err : {false, true}) {
        CAPTURE(in);
        CAPTURE(out);
        CAPTURE(err);
        CHECK(faults_without(in, out, err) == 0);
      }
    }
  }
}
