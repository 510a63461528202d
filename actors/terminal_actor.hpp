// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The actor around a `TerminalCore`: a table of one-line forwards.

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include "actors/messages.hpp"
#include "actors/service_context.hpp"
#include "actors/terminal_core.hpp"

namespace troupe::actors {

/// Starts the actor of a terminal whose channel is open.
caf::actor spawn_terminal(caf::actor_system& system, ServiceContext& context, ChannelId channel,
                          TerminalConfig config, std::shared_ptr<TerminalCard> card);

}  // namespace troupe::actors
