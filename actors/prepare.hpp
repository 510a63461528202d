// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// From what a `create` asks for to what a terminal is opened with: checks, defaults, and what is
/// kept. A plain function, so that no check needs a running daemon.

#include <cstdint>

#include "actors/settings.hpp"
#include "actors/terminal_core.hpp"
#include "protocol/requests.hpp"

namespace troupe::actors {

/// `launch` goes to the io thread at once; `config` keeps secrets only to mask them in recordings.
struct Prepared {
  TerminalConfig config;
  Launch launch;
};

/// `bad_request`, `too_large` or `unsupported` where it can be told without opening anything.
Result<Prepared> prepare(protocol::request::Create create, const Settings& settings, TerminalId id,
                         std::int64_t wall_ms);

}  // namespace troupe::actors
