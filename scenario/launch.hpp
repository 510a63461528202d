// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// From a participant to the request that starts its terminal, with the defaults of the seed's
/// scenarios: a participant's options, then its persona's, then none.

#include "scenario/plan.hpp"

namespace troupe::scenario {

/// Needs are not filled in. `persona` is null where the participant has none, or no file tells of
/// it. Never fails: what the daemon would refuse (no host) is the plan's to report.
Launch make_launch(const Scenario& scenario, const Participant& participant,
                   const Persona* persona);

}  // namespace troupe::scenario
