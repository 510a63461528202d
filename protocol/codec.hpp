// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Between payloads of control frames and values. The daemon decodes requests and encodes
/// responses; a client does the reverse. docs/wire.md states every rule.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "protocol/requests.hpp"
#include "protocol/responses.hpp"

namespace troupe::protocol {

/// Close the connection without an answer, as protocol 7 treats what it cannot parse.
struct Drop {};

/// Whether the connection outlives a refusal, as far as the wire decides it (a connection without
/// request ids ends after any answer).
enum class AfterRefusal : std::uint8_t { go_on, close };

/// The request is understood enough to be answered with an error, and does nothing.
struct Refused {
  Error error;
  AfterRefusal after = AfterRefusal::go_on;
  /// False for an operation of protocol 7 without a request id, whose errors are a message only.
  bool with_code = true;
};

/// One client frame. The decoder does not know which token is right; the session looks at
/// `outcome` first for `Drop` (parsing precedes authentication), then at `token`, then answers or
/// executes.
struct Incoming {
  std::optional<std::string> token;     ///< absent only with a request id
  std::optional<RequestId> request_id;  ///< absent: protocol 7's manners
  std::variant<Drop, Refused, Request> outcome;
  /// The outcome is what is wrong with the token itself, and may be told before any token was
  /// right.
  bool token_malformed = false;
};

/// Bounds: nesting, values and texts as in limits.hpp; no recursion over the input.
[[nodiscard]] Incoming decode_request(std::string_view payload);

/// Compact JSON in protocol 7's key order; bytes that are not UTF-8 become U+FFFD.
///
/// Bounds: never longer than `max_frame_bytes`. A list that would be is encoded with long texts
/// cut short, a snapshot without its oldest text; anything else becomes the error `too_large`.
[[nodiscard]] std::string encode_response(const Response& response,
                                          const std::optional<RequestId>& request_id = {});

/// What a client sends. `token` is needed on the first frame of a connection.
[[nodiscard]] std::string encode_request(const std::optional<std::string>& token,
                                         const std::optional<RequestId>& request_id,
                                         const Request& request);

/// What a client receives. Types that it does not know are `reply::Unknown`; keys that it does not
/// know are ignored.
struct ServerMessage {
  std::optional<RequestId> request_id;
  Response response;
};

/// `bad_request` where the payload is no JSON object or lacks a key that its type must have.
[[nodiscard]] Result<ServerMessage> decode_response(std::string_view payload);

}  // namespace troupe::protocol
