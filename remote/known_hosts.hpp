// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Revoked keys of known_hosts files. libssh reads the other lines, but takes no notice of the
/// marker `@revoked`: a key that was stolen would be trusted as long as a plain line names it.

#include <string>
#include <string_view>

namespace troupe::remote {

/// Whether this is a line `@revoked PATTERNS TYPE KEY` with this key (its base64). The patterns,
/// hashed or not, are not looked at: a key that is revoked anywhere is trusted nowhere, which errs
/// on the closed side.
bool line_revokes(std::string_view line, std::string_view key_base64);

/// Whether any line of the file does; one that is not there revokes nothing.
bool file_revokes(const std::string& path, std::string_view key_base64);

}  // namespace troupe::remote
