// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Scenarios for tests, read from texts.

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "scenario/plan.hpp"

namespace troupe::test {

inline const scenario::Place place{"file.yaml", "/work/here", "/home/me"};

/// Every problem, a line each.
inline std::string problems_of(const std::vector<scenario::Problem>& problems) {
  std::string text;
  for (const scenario::Problem& problem : problems) {
    text += to_text(problem) + "\n";
  }
  return text;
}

inline scenario::Scenario read(std::string_view text) {
  auto read = scenario::read_scenario(text, place);
  REQUIRE_MESSAGE(read.value, problems_of(read.problems));
  return std::move(*read.value);
}

inline scenario::Plan plan_of(std::string_view text, const scenario::Personas* personas = nullptr) {
  auto plan = scenario::make_plan(read(text), personas);
  REQUIRE_MESSAGE(plan.value, problems_of(plan.problems));
  return std::move(*plan.value);
}

}  // namespace troupe::test
