// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Carries the requests of a stage to the daemon and the answers back, all participants at once
/// over one connection, by events.

#include <functional>

#include "client/connection.hpp"
#include "scenario/stage.hpp"

namespace troupe::scenario {

using OnHappening = std::function<void(std::size_t who, const Happening&)>;

/// Plays until all are up, or until nothing can come into being after a failure. An error is one of
/// the connection: it ended, the daemon did not answer in time, or `cancelled` by the connection's
/// interrupt. What happened to a participant is not one; the stage knows it.
Result<> play(client::Connection& connection, Stage& stage, const OnHappening& on_happening);

}  // namespace troupe::scenario
