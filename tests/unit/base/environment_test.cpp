// SPDX-License-Identifier: MIT
#include "base/environment.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using troupe::environment_number;

TEST_CASE("environment: a number is clamped and nonsense falls back to the default") {
  const char* name = "TROUPE_TEST_NUMBER";
  ::unsetenv(name);
  CHECK(environment_number(name, 7, 1, 100) == 7);
  ::setenv(name, "50", 1);
  CHECK(environment_number(name, 7, 1, 100) == 50);
  ::setenv(name, "500", 1);
  CHECK(environment_number(name, 7, 1, 100) == 100);
  ::setenv(name, "0", 1);
  CHECK(environment_number(name, 7, 1, 100) == 1);
  for (const char* text : {"", "x", "5x", "-5", "99999999999999999999999"}) {
    ::setenv(name, text, 1);
    CHECK(environment_number(name, 7, 1, 100) == 7);
  }
}
