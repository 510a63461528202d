// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How an attach begins at the daemon: what the terminal shows, and a stream that goes on from
/// there without a gap.

#include <string>

#include "base/result.hpp"
#include "client/attach/attach.hpp"
#include "client/client.hpp"

namespace troupe::client {

struct Opening {
  protocol::reply::Snapshot snapshot;
  protocol::reply::Attached attached;  ///< its replay goes on where the snapshot ends, or earlier
  Connection connection;
  RequestNumber subscription = 0;
};

/// Takes part as the options say, under the name `attachment`: who may control but finds another
/// client in control watches.
Result<Opening> open_attachment(Client& client, const AttachOptions& options,
                                const std::string& attachment);

}  // namespace troupe::client
