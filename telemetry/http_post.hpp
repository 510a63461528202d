// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One HTTP POST: the header of Boost.Beast stays in one file.

#include <chrono>
#include <string>

#include "base/result.hpp"
#include "telemetry/settings.hpp"

namespace troupe::telemetry {

/// Blocks at most `settings.timeout` (and what the system takes to resolve a name). `io` where the
/// body was not delivered or the answer is no 2xx.
Result<> http_post(const HttpEndpoint& endpoint, const SpanSettings& settings, std::string body);

}  // namespace troupe::telemetry
