// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What is to be started, and in which order: a scenario and its personas, decided down to the
/// requests that the daemon gets.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/requests.hpp"
#include "scenario/personas.hpp"
#include "scenario/scenario.hpp"

namespace troupe::scenario {

/// A secret that goes into `create.options` when the terminal is started, never before.
struct SecretOption {
  std::string key;       ///< `password` or `passphrase`
  std::string variable;  ///< of the environment of `troupe up`
};

/// One terminal to be.
struct Launch {
  std::string name{};
  std::string role{};
  std::string persona{};
  int line = 0;
  /// Complete but for the inherited environment and the secrets.
  protocol::request::Create create{};
  std::vector<SecretOption> secrets{};
  std::vector<std::size_t> needs{};  ///< places in `Plan::launches`, all before this one
  std::optional<Condition> ready{};
  int ready_line = 0;
  std::vector<Step> steps{};
};

/// Invariants: I1, a launch stands after all that it needs; I2, launches keep the order of the file
/// where that allows it.
struct Plan {
  std::string file{};
  std::string name{};
  std::string description{};
  std::vector<Launch> launches{};
};

/// A feature that the daemon must have, and what for.
struct Needed {
  std::string_view feature;
  std::string_view what;
};

/// The group that the terminals of a scenario are in.
std::string group_of(std::string_view scenario_name);

/// Decides. `personas` is null where there is no file of them; problems are unknown personas and
/// needs, cycles, and hosts that are missing.
Read<Plan> make_plan(const Scenario& scenario, const Personas* personas);

std::vector<Needed> needed_features(const Plan& plan);

}  // namespace troupe::scenario
