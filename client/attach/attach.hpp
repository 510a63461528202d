// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A person's terminal joined to a terminal of the daemon, until the person detaches or the program
/// ends.

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "client/attach/detach_key.hpp"
#include "client/client.hpp"

namespace troupe::client {

enum class Participation : std::uint8_t {
  take_part,  ///< control where nobody else does, else watch until control falls to us
  take_over,  ///< control, whoever has it
  observe,    ///< never write, never resize
};

struct AttachOptions {
  TerminalId id;
  Participation participation = Participation::take_part;
  DetachKey detach_key;
};

enum class AttachEnd : std::uint8_t { detached, exited, closed, signalled };

struct AttachOutcome {
  AttachEnd end = AttachEnd::detached;
  std::optional<std::int32_t> exit_code;  ///< of the program, where it ended
  int signal = 0;                         ///< that ended this process's attach
  std::string reason;                     ///< for people, where the stream was closed
};

/// Joins standard input and output, which must be one terminal, to the daemon's terminal. Returns
/// once the outer terminal is as it was.
Result<AttachOutcome> attach(Client& client, const AttachOptions& options);

}  // namespace troupe::client
