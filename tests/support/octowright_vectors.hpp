// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The golden values of octowright-terminal. docs/octowright-vectors.md says which test plays which
/// of them, and what is different here on purpose; scripts/check-octowright-vectors compares both.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace troupe::testing {

/// The part under `section`.
inline const nlohmann::json& octowright_vectors(const std::string& section) {
  static const nlohmann::json all = [] {
    std::ifstream file(TROUPE_TEST_DATA_DIR "/octowright_vectors.json");
    return nlohmann::json::parse(file, nullptr, false);
  }();
  REQUIRE(all.is_object());
  return all.at(section);
}

}  // namespace troupe::testing
