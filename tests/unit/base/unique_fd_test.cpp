// SPDX-License-Identifier: MIT
#include "base/unique_fd.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

using troupe::UniqueFd;

namespace {
bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) != -1;
}
}  // namespace

TEST_CASE("unique_fd: the descriptor is closed with its owner and not before") {
  int raw = -1;
  {
    UniqueFd fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    raw = fd.get();
    REQUIRE(fd.valid());
    const UniqueFd moved = std::move(fd);
    CHECK(is_open(raw));
    CHECK(moved.get() == raw);
  }
  CHECK_FALSE(is_open(raw));
}

TEST_CASE("unique_fd: a released descriptor is the caller's") {
  UniqueFd fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  const int raw = fd.release();
  fd.reset();
  CHECK(is_open(raw));
  ::close(raw);
}
