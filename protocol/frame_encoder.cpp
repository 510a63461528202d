// SPDX-License-Identifier: MIT
#include "protocol/frame_encoder.hpp"

#include <cassert>

namespace troupe::protocol {
namespace {

std::uint64_t read_number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) {
    value = value << 8U | static_cast<unsigned char>(byte);
  }
  return value;
}

std::string joined(const FrameHeader& header, std::string_view bytes) {
  std::string frame;
  frame.reserve(header.view().size() + bytes.size());
  frame.append(header.view());
  frame.append(bytes);
  return frame;
}

}  // namespace

void FrameHeader::append(std::uint64_t value, std::size_t width) {
  for (std::size_t i = width; i-- > 0;) {
    bytes_[size_++] = static_cast<char>(value >> (8 * i) & 0xFFU);
  }
}

FrameHeader control_header(std::size_t payload_bytes) {
  assert(payload_bytes > 0 && payload_bytes <= max_frame_bytes);
  FrameHeader header;
  header.append(payload_bytes, frame_header_bytes);
  return header;
}

FrameHeader output_header(StreamOffset start, std::size_t output_bytes) {
  assert(output_bytes <= max_output_bytes);
  FrameHeader header;
  header.append(output_prefix_bytes + output_bytes, frame_header_bytes);
  header.append(static_cast<unsigned char>(output_tag), 1);
  header.append(start, 8);
  header.append(start + output_bytes, 8);
  return header;
}

FrameHeader mux_output_header(TerminalId terminal, StreamOffset start, std::size_t output_bytes) {
  assert(output_bytes <= max_output_bytes);
  FrameHeader header;
  header.append(mux_output_prefix_bytes + output_bytes, frame_header_bytes);
  header.append(static_cast<unsigned char>(mux_output_tag), 1);
  header.append(terminal.value, 8);
  header.append(start, 8);
  header.append(start + output_bytes, 8);
  return header;
}

std::string control_frame(std::string_view payload) {
  return joined(control_header(payload.size()), payload);
}

std::string output_frame(StreamOffset start, std::string_view output) {
  return joined(output_header(start, output.size()), output);
}

std::string mux_output_frame(TerminalId terminal, StreamOffset start, std::string_view output) {
  return joined(mux_output_header(terminal, start, output.size()), output);
}

bool is_output(std::string_view payload) {
  return !payload.empty() && (payload.front() == output_tag || payload.front() == mux_output_tag);
}

Result<OutputView> parse_output(std::string_view payload) {
  if (!is_output(payload)) {
    return Error{Code::bad_request, "not an output frame"};
  }
  const bool multiplexed = payload.front() == mux_output_tag;
  if (payload.size() < (multiplexed ? mux_output_prefix_bytes : output_prefix_bytes)) {
    return Error{Code::bad_request, "output frame is cut"};
  }
  payload.remove_prefix(1);
  OutputView view;
  if (multiplexed) {
    view.terminal = TerminalId{read_number(payload.substr(0, 8))};
    payload.remove_prefix(8);
  }
  view.start = read_number(payload.substr(0, 8));
  view.end = read_number(payload.substr(8, 8));
  view.bytes = payload.substr(16);
  if (view.end < view.start || view.end - view.start != view.bytes.size()) {
    return Error{Code::bad_request, "output frame's offsets do not fit its length"};
  }
  return view;
}

}  // namespace troupe::protocol
