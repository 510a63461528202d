// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The actor around a `SessionCore`: one client connection.

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include "actors/service_context.hpp"

namespace troupe::actors {

caf::actor spawn_session(caf::actor_system& system, ServiceContext& context,
                         ConnectionId connection);

}  // namespace troupe::actors
