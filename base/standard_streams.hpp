// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The standard streams of a program whose parent closed some of them (`troupe list >&-`).

namespace troupe {

/// Opens those of the descriptors 0, 1 and 2 that are closed, so that what is read from them or
/// written to them fails. Without it the next socket or file would become standard output, and
/// what is printed would go into it. To be called first in `main`.
/// Threads: before any other.
void hold_standard_streams();

}  // namespace troupe
