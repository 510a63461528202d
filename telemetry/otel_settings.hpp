// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the standard `OTEL_*` variables ask of the daemon. They are often set for other programs of
/// a session, so what does not fit is a warning and never a reason not to start.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/otel_text.hpp"
#include "telemetry/span_target.hpp"

namespace troupe::telemetry {

struct SpanSettings {
  SpanTarget target;
  Pairs headers;   ///< secrets may be among them: never logged
  Pairs resource;  ///< attributes, `service.name` first
  std::chrono::milliseconds timeout{10'000};
  std::chrono::milliseconds delay{5'000};  ///< from the first span of a batch until it is sent
  std::size_t batch = 512;                 ///< spans
  double sampled = 1.0;                    ///< share of the spans that is sent
};

struct OtelChoice {
  std::optional<SpanSettings> spans;  ///< nothing: no span is made
  std::vector<std::string> warnings;  ///< name variables, never their values
};

/// A variable's value; nothing where it is unset or empty.
using Lookup = std::function<std::optional<std::string>(const char* name)>;

/// Reads them all; what does not fit is left at its default and told in a warning.
OtelChoice otel_settings(const Lookup& variable);

}  // namespace troupe::telemetry
