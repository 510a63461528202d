// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A check that ends a fuzz target in every build type.

#include <cstdio>
#include <cstdlib>

/// Aborts where the condition does not hold.
inline void expect(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "expectation failed: %s\n", what);
    std::abort();
  }
}
