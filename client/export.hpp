// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What libtroupe_client exports; everything else in it is hidden.

#if defined(__GNUC__)
#define TROUPE_CLIENT_EXPORT __attribute__((visibility("default")))
#else
#define TROUPE_CLIENT_EXPORT
#endif
