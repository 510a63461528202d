// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace troupe::recording {

/// Golden values of octowright-terminal, the part that is about recordings.
inline nlohmann::json test_vectors() {
  std::ifstream file(TROUPE_TEST_DATA_DIR "/recording/octowright_recording.json");
  nlohmann::json vectors = nlohmann::json::parse(file, nullptr, false);
  REQUIRE(vectors.is_object());
  return vectors;
}

/// The rows of a recording; the last line must be complete.
inline std::vector<nlohmann::json> parsed_rows(const std::string& text) {
  std::vector<nlohmann::json> rows;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    rows.push_back(nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false));
    REQUIRE(rows.back().is_object());
    begin = end + 1;
  }
  REQUIRE(begin == text.size());
  return rows;
}

}  // namespace troupe::recording
