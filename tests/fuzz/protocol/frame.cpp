// SPDX-License-Identifier: MIT
/// @file
/// The frame decoder gives the same payloads and the same fault however a stream is cut.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/frame_decoder.hpp"
#include "protocol/frame_encoder.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe::protocol;

namespace {

struct Outcome {
  std::vector<std::string> payloads;
  FrameFault fault = FrameFault::none;
  bool at_boundary = true;
  bool operator==(const Outcome&) const = default;
};

/// Feeds pieces of `piece` bytes.
Outcome decode(std::string_view stream, std::size_t piece) {
  FrameDecoder decoder;
  Outcome outcome;
  while (!stream.empty() && decoder.fault() == FrameFault::none) {
    const std::size_t taken = decoder.feed(stream.substr(0, piece));
    stream.remove_prefix(taken);
    auto payload = decoder.next();
    expect(taken > 0 || payload, "the decoder makes progress");
    if (payload) {
      expect(!payload->empty() && payload->size() <= max_frame_bytes, "payload is within limits");
      outcome.payloads.push_back(*std::move(payload));
    }
  }
  outcome.fault = decoder.fault();
  outcome.at_boundary = decoder.at_boundary();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  const Outcome whole = decode(stream, stream.size());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{7}}) {
    expect(decode(stream, piece) == whole, "cuts change nothing");
  }
  std::string rebuilt;
  for (const std::string& payload : whole.payloads) {
    rebuilt += control_frame(payload);
    if (const auto output = parse_output(payload)) {
      const std::string again =
          output->terminal ? mux_output_frame(*output->terminal, output->start, output->bytes)
                           : output_frame(output->start, output->bytes);
      expect(again == control_frame(payload), "output frames read back");
    }
  }
  expect(stream.starts_with(rebuilt), "payloads are the stream's own bytes");
  return 0;
}
