// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Unguessable values, from the kernel's random source.

#include <cstddef>
#include <string>

#include "base/ids.hpp"

namespace troupe {

/// `bytes` random bytes as lower-case hex, so twice as many characters. Aborts where the kernel
/// gives no randomness: nothing safe could go on.
std::string random_hex(std::size_t bytes);

/// A random terminal id, 1 … 2^48-1.
TerminalId random_terminal_id();

}  // namespace troupe
