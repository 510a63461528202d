// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the standard `OTEL_*` variables ask of the daemon. They are often set for other programs of
/// a session, so what does not fit is a warning and never a reason not to start.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace troupe::telemetry {

/// An `http://` collector or a file; exactly one of `host` and `file` is set.
struct SpanTarget {
  std::string host;  ///< a name, or a numeric address without brackets
  std::uint16_t port = 80;
  std::string path;  ///< with the query
  std::string file;
  /// What messages may show: neither path nor query, which can hold a key.
  [[nodiscard]] std::string place() const;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

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

OtelChoice otel_settings(const Lookup& variable);

/// `http://HOST[:PORT][/PATH]` or `file:///PATH`. `unsupported` for `https`, `bad_request` for what
/// is no URL.
Result<SpanTarget> parse_span_target(const std::string& url);

}  // namespace troupe::telemetry
