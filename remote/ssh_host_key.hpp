// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Whether the host at the other end is the one that was meant, asked before anything secret is
/// sent to it.

#include "base/result.hpp"
#include "remote/options.hpp"
#include "remote/ssh_library.hpp"

namespace troupe::remote {

/// Success where known_hosts files name the host with this key and none revokes it, or where
/// `insecure_no_host_check` is set. Errors (`io`) name the host, the file and the key's
/// fingerprint. `session` is connected and not authenticated.
Result<> check_host_key(ssh_session session, const SshOptions& options);

}  // namespace troupe::remote
