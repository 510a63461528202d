// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The actor around a `RegistryCore`: one a daemon.

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include "actors/decisions/ownership.hpp"
#include "actors/service_context.hpp"

namespace troupe::actors {

caf::actor spawn_registry(caf::actor_system& system, ServiceContext& context, Ownership::Mode mode);

}  // namespace troupe::actors
