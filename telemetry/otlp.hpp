// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Spans, and their text in OTLP/JSON.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace troupe::telemetry {

/// Something that took a while.
struct Span {
  std::string name;           ///< `troupe.terminal.launch`, say
  std::int64_t start_us = 0;  ///< wall clock, since the Unix epoch
  std::int64_t end_us = 0;
  /// Kinds and ids only, never what a person typed or called something.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string error;  ///< empty: it went well
};

/// One `ExportTraceServiceRequest`. Every span is a trace of its own, with random ids.
std::string otlp_json(const std::vector<Span>& spans, const std::string& service_name);

}  // namespace troupe::telemetry
