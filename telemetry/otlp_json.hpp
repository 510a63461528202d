// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Spans as OTLP/JSON (`ExportTraceServiceRequest`): ids in hex, 64-bit numbers as text, enums as
/// numbers, names in lower camel case.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/otel_settings.hpp"
#include "telemetry/port.hpp"

namespace troupe::telemetry {

/// Gives so many random bytes as hex.
using RandomHex = std::function<std::string(std::size_t bytes)>;

/// One line, without its end.
std::string otlp_traces(const std::vector<Span>& spans, const Pairs& resource,
                        std::string_view version, const RandomHex& random);

/// `partialSuccess.rejectedSpans` of an answer; 0 where there is none or it is no JSON.
std::uint64_t rejected_spans(std::string_view answer);

}  // namespace troupe::telemetry
