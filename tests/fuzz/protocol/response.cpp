// SPDX-License-Identifier: MIT
/// @file
/// No payload hurts a client, and a response that it accepts reads back from its own encoding.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/codec.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view payload(reinterpret_cast<const char*>(data), size);
  const auto message = decode_response(payload);
  if (!message) {
    return 0;
  }
  const std::string encoded = encode_response(message->response, message->request_id);
  const auto again = decode_response(encoded);
  expect(again.ok(), "the encoding is understood");
  expect(encode_response(again->response, again->request_id) == encoded, "and reads back");
  return 0;
}
