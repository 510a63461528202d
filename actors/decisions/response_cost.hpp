// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a frame of a subscription counts against its window. The terminal charges it before the
/// frame is encoded and the session gives it back when it is written, so both must agree.

#include <cstddef>

#include "protocol/responses.hpp"

namespace troupe::actors {

/// What any frame costs beside its bytes: a backlog of one-byte frames is mostly this.
inline constexpr std::size_t frame_overhead_bytes = 256;

/// An output frame's cost.
constexpr std::size_t output_cost(std::size_t bytes) {
  return bytes + frame_overhead_bytes;
}

/// About the frame's size: base64 parts by their length, the rest by a flat amount.
std::size_t response_cost(const protocol::Response& response);

}  // namespace troupe::actors
