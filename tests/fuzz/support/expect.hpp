// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What every fuzz target needs: its entry point's declaration, and a check that ends it in every
/// build type.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// The target itself; libFuzzer or support/replay.cpp calls it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Aborts where the condition does not hold.
inline void expect(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "expectation failed: %s\n", what);
    std::abort();
  }
}
