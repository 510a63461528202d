// SPDX-License-Identifier: MIT
#include "protocol/frame_decoder.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {
namespace {

/// Reserved on the header's word alone; more only when bytes have come.
constexpr std::size_t trusted_reserve = 64 * kibibyte;

std::uint32_t read_length(const std::array<char, frame_header_bytes>& header) {
  std::uint32_t length = 0;
  for (const char byte : header) {
    length = length << 8U | static_cast<unsigned char>(byte);
  }
  return length;
}

}  // namespace

std::size_t FrameDecoder::feed(std::string_view bytes) {
  if (fault_ != FrameFault::none) {
    return 0;
  }
  const std::size_t taken = feed_header(bytes);
  return fault_ == FrameFault::none ? taken + feed_payload(bytes.substr(taken)) : taken;
}

std::size_t FrameDecoder::feed_header(std::string_view bytes) {
  const std::size_t taken = std::min(bytes.size(), frame_header_bytes - header_filled_);
  if (taken == 0) {
    return 0;
  }
  std::copy_n(bytes.data(), taken, header_.data() + header_filled_);
  header_filled_ += taken;
  if (header_filled_ == frame_header_bytes) {
    length_ = read_length(header_);
    if (length_ == 0) {
      fault_ = FrameFault::empty;
    } else if (length_ > max_frame_bytes) {
      fault_ = FrameFault::too_long;
    }
  }
  return taken;
}

std::size_t FrameDecoder::feed_payload(std::string_view bytes) {
  const std::size_t taken = std::min(bytes.size(), missing());
  if (taken == 0) {
    return 0;
  }
  const std::size_t needed = payload_.size() + taken;
  if (needed > payload_.capacity()) {
    const std::size_t wanted = std::max({needed, 2 * payload_.capacity(), trusted_reserve});
    payload_.reserve(std::min<std::size_t>(wanted, length_));
  }
  payload_.append(bytes.substr(0, taken));
  return taken;
}

std::optional<std::string> FrameDecoder::next() {
  if (fault_ != FrameFault::none || header_filled_ < frame_header_bytes || missing() > 0) {
    return std::nullopt;
  }
  header_filled_ = 0;
  length_ = 0;
  return std::exchange(payload_, {});
}

bool FrameDecoder::at_boundary() const {
  return header_filled_ == 0;
}

std::size_t FrameDecoder::missing() const {
  return length_ - payload_.size();
}

}  // namespace troupe::protocol
