// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Scenario files on disk.

#include <string>

#include "base/unique_fd.hpp"
#include "scenario/plan.hpp"

namespace troupe::scenario {

/// A plan, and its file held open with a lock, so that the same file is not started twice at once.
struct LoadedPlan {
  Read<Plan> plan;
  UniqueFd lock;
};

/// Reads a scenario, and its personas: the file that it names, or `personas.yaml` beside it.
LoadedPlan load_plan(const std::string& path);

/// The scenario's name: `named` itself, or what stands in the file of that path.
Read<std::string> load_name(const std::string& named);

}  // namespace troupe::scenario
