// SPDX-License-Identifier: MIT
/// @file
/// No payload hurts the request decoder, and a request that it accepts reads back from its own
/// encoding.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/codec.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Incoming incoming =
      decode_request(std::string_view(reinterpret_cast<const char*>(data), size));
  if (const auto* refused = std::get_if<Refused>(&incoming.outcome)) {
    expect(!refused->error.message.empty() && refused->error.message.size() < 300,
           "a refusal is a short sentence");
    expect(decode_response(encode_response(reply::Error(refused->error), incoming.request_id)).ok(),
           "a refusal can be sent");
  }
  const auto* request = std::get_if<Request>(&incoming.outcome);
  if (request == nullptr) {
    return 0;
  }
  expect(incoming.token || incoming.request_id, "a request has a token or an id");
  const Incoming again =
      decode_request(encode_request(incoming.token, incoming.request_id, *request));
  expect(again.token == incoming.token && again.request_id == incoming.request_id,
         "the envelope reads back");
  const auto* same = std::get_if<Request>(&again.outcome);
  expect(same != nullptr && *same == *request, "the request reads back");
  return 0;
}
