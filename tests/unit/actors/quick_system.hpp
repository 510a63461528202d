// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// An actor system with the daemon's scheduler and one worker.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include "actors/quick_sharing.hpp"

namespace troupe::testing {

struct QuickConfig : caf::actor_system_config {
  QuickConfig() {
    module_factories.emplace_back([](caf::actor_system& system) -> caf::actor_system::module* {
      return new actors::QuickCoordinator(system);  // CAF owns it
    });
    set("scheduler.max-threads", 1);
    set("logger.verbosity", caf::atom("quiet"));
  }
};

}  // namespace troupe::testing
