// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Control of a terminal for the length of one command.

#include <string>

#include "base/result.hpp"
#include "client/client.hpp"
#include "protocol/terminal_info.hpp"

namespace troupe::client::cli {

/// While it lives this process controls the terminal; then control goes back to who had it.
struct Lease {
  Connection connection;
  std::string attachment;
};

/// Takes control from whoever has it.
Result<Lease> take_control(const Client& client, const protocol::TerminalInfo& terminal);

/// Explains a refusal that came because another client controls the terminal.
Error explain_refusal(Error error);

}  // namespace troupe::client::cli
