// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Personas: who a participant is, for many scenarios, in a file of their own. Here only how one
/// reaches other machines counts; what else a persona has is for other programs.

#include <map>
#include <string>
#include <string_view>

#include "scenario/scenario.hpp"

namespace troupe::scenario {

struct Persona {
  RemoteOptions ssh{};
  RemoteOptions telnet{};
};

using Personas = std::map<std::string, Persona>;

/// Reads `personas: {NAME: {app: {ssh: {...}, telnet: {...}}}}`. Keys beside `app`'s two are passed
/// over; a password is refused wherever it stands.
Read<Personas> read_personas(std::string_view text, const Place& place);

}  // namespace troupe::scenario
