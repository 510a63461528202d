// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where spans go, and how that is written.

#include <cstdint>
#include <string>

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

/// `http://HOST[:PORT][/PATH]` or `file:///PATH`. `unsupported` for `https`, `bad_request` for what
/// is no URL.
Result<SpanTarget> parse_span_target(const std::string& url);

}  // namespace troupe::telemetry
