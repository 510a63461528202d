// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a terminal's far side is opened with, whatever its kind.

#include <string>
#include <variant>
#include <vector>

#include "base/secret.hpp"
#include "protocol/words.hpp"
#include "pty/launch_spec.hpp"
#include "remote/options.hpp"

namespace troupe::actors {

struct SshLaunch {
  remote::SshOptions options;
  pty::WindowSize size;
};
struct TelnetLaunch {
  remote::TelnetOptions options;
  pty::WindowSize size;
};
using Launch = std::variant<pty::LaunchSpec, SshLaunch, TelnetLaunch>;

/// A name, a handshake or a login may take long: such a launch can be given up.
bool is_remote(const Launch& launch);
protocol::TerminalKind kind_of(const Launch& launch);
void set_size(Launch& launch, pty::WindowSize size);
/// What a terminal's info shows as its command; never a secret.
std::vector<std::string> command_of(const Launch& launch);
/// The secrets in it, moved out: what is left may be listed.
std::vector<Secret> take_secrets(Launch& launch);

}  // namespace troupe::actors
