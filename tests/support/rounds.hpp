// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How often a property test tries: as many times as it says, times TROUPE_TEST_ROUNDS.

#include <cstdlib>

namespace troupe::testing {

/// `usual` rounds, or that many times a number that the environment names for a longer search.
inline unsigned rounds(unsigned usual) {
  const char* factor = std::getenv("TROUPE_TEST_ROUNDS");  // NOLINT(concurrency-mt-unsafe)
  const unsigned long times = factor == nullptr ? 1 : std::strtoul(factor, nullptr, 10);
  return times == 0 ? usual : static_cast<unsigned>(usual * times);
}

}  // namespace troupe::testing
