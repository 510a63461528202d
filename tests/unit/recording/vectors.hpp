// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/octowright_vectors.hpp"

namespace troupe::recording {

using testing::octowright_vectors;

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
