// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Builds frames. Headers are values of their own, so that a writer can send header and payload
/// as two buffers and never copies the payload.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/frame_decoder.hpp"

namespace troupe::protocol {

/// The first payload byte tells output from JSON, which begins with `{` or white space.
inline constexpr char output_tag = '\0';      ///< `[0][start][end][bytes]`
inline constexpr char mux_output_tag = '\1';  ///< `[1][terminal][start][end][bytes]`

inline constexpr std::size_t output_prefix_bytes = 1 + 8 + 8;
inline constexpr std::size_t mux_output_prefix_bytes = 1 + 8 + 8 + 8;
/// Output bytes that fit one frame of either tag.
inline constexpr std::size_t max_output_bytes = max_frame_bytes - mux_output_prefix_bytes;

/// A frame header, with the prefix of an output payload where there is one.
///
/// Bounds: fixed size, no allocation.
class FrameHeader {
 public:
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  friend FrameHeader control_header(std::size_t payload_bytes);
  friend FrameHeader output_header(StreamOffset start, std::size_t output_bytes);
  friend FrameHeader mux_output_header(TerminalId terminal, StreamOffset start,
                                       std::size_t output_bytes);

  void append(std::uint64_t value, std::size_t width);

  std::array<char, frame_header_bytes + mux_output_prefix_bytes> bytes_{};
  std::size_t size_ = 0;
};

/// Header of a control frame. `payload_bytes` must be 1 … max_frame_bytes.
FrameHeader control_header(std::size_t payload_bytes);
/// Header and prefix of an output frame; the caller sends `output_bytes` raw bytes behind it.
/// `output_bytes` must be at most max_output_bytes.
FrameHeader output_header(StreamOffset start, std::size_t output_bytes);
/// The same for a multiplexed subscription.
FrameHeader mux_output_header(TerminalId terminal, StreamOffset start, std::size_t output_bytes);

/// Header and payload in one string, for small frames and tests.
std::string control_frame(std::string_view payload);
std::string output_frame(StreamOffset start, std::string_view output);
std::string mux_output_frame(TerminalId terminal, StreamOffset start, std::string_view output);

/// A parsed output payload; `bytes` points into the payload.
struct OutputView {
  std::optional<TerminalId> terminal;  ///< tag 1 only
  StreamOffset start = 0;
  StreamOffset end = 0;
  std::string_view bytes;
};

/// Whether a payload is an output frame (tag 0 or 1) and not JSON.
[[nodiscard]] bool is_output(std::string_view payload);
/// Parses an output payload; `bad_request` where it is cut or its offsets do not fit its length.
Result<OutputView> parse_output(std::string_view payload);

}  // namespace troupe::protocol
