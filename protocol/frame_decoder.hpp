// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Cuts a byte stream into frames: u32 big-endian payload length, payload. One decoder a
/// connection and direction.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/limits.hpp"

namespace troupe::protocol {

inline constexpr std::size_t frame_header_bytes = 4;

/// Why a stream cannot be read on. The connection is closed without an answer.
enum class FrameFault : std::uint8_t { none, too_long, empty };

/// Incremental: takes bytes in any cut, hands out whole payloads.
///
/// Threads: one caller at a time.
/// Invariants: how the stream is cut never changes what comes out; after a fault it takes and
/// gives nothing more.
/// Bounds: holds at most one payload, so at most `max_frame_bytes`. A length beyond the limit is a
/// fault at its fourth header byte, before any allocation. Memory grows with the bytes that really
/// arrived, not with the length that the header claims.
class FrameDecoder {
 public:
  /// Takes bytes up to the end of the current frame and returns how many it took. It takes none
  /// while a whole frame waits for `next` or after a fault.
  std::size_t feed(std::string_view bytes);
  /// The payload once it is whole; the decoder then starts on the next frame.
  std::optional<std::string> next();

  [[nodiscard]] FrameFault fault() const { return fault_; }
  /// Whether the stream may end here: no part of a frame is held.
  [[nodiscard]] bool at_boundary() const;

  /// To read a large payload straight from the socket: what is still missing of the current
  /// payload (0 while the header is incomplete).
  [[nodiscard]] std::size_t missing() const;

 private:
  std::size_t feed_header(std::string_view bytes);
  std::size_t feed_payload(std::string_view bytes);

  std::array<char, frame_header_bytes> header_{};
  std::size_t header_filled_ = 0;
  std::uint32_t length_ = 0;
  std::string payload_;
  FrameFault fault_ = FrameFault::none;
};

}  // namespace troupe::protocol
