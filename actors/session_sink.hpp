// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A session as terminals and the registry see it: messages to its actor.

#include <caf/actor.hpp>
#include <memory>

#include "actors/ports.hpp"

namespace troupe::actors {

std::shared_ptr<SessionSink> make_session_sink(caf::actor session);

}  // namespace troupe::actors
