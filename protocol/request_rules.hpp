// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a well-formed request must still satisfy before any terminal is looked up: sizes that are
/// positive, texts within their limits, fields that fit each other. Private to the codec.

#include <optional>

#include "base/result.hpp"
#include "protocol/requests.hpp"

namespace troupe::protocol {

/// The first rule that the request breaks, in protocol 7's words where the rule is its own.
std::optional<Error> broken_rule(const Request& request);

/// Protocol 7's refusal of an input beyond `max_input_bytes`.
Error input_too_long();

}  // namespace troupe::protocol
