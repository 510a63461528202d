// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where figures and spans go, from the environment: Prometheus by a variable of our own,
/// OpenTelemetry by its standard ones.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace troupe::telemetry {

/// A port of this machine's loopback.
struct LoopbackPort {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  bool operator==(const LoopbackPort&) const = default;
};
/// A Unix socket; the path is absolute.
struct SocketPath {
  std::string path;
  bool operator==(const SocketPath&) const = default;
};
using MetricsPlace = std::variant<LoopbackPort, SocketPath>;

/// `9464`, `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464` or `unix:/path`. `bad_request` for all
/// else: addresses that other machines reach too.
Result<MetricsPlace> parse_metrics_place(const std::string& text);

/// A collector's address.
struct HttpEndpoint {
  std::string host;
  std::string port = "80";
  std::string path = "/";
  bool operator==(const HttpEndpoint&) const = default;
};
/// Spans are appended to a file, one request a line.
struct FileEndpoint {
  std::string path;
  bool operator==(const FileEndpoint&) const = default;
};

struct SpanSettings {
  std::variant<HttpEndpoint, FileEndpoint> endpoint;
  std::vector<std::pair<std::string, std::string>> headers;
  std::chrono::milliseconds timeout{10'000};
  std::string service_name = "troupe";
};

using Environment = std::map<std::string, std::string>;

/// Whether spans are wanted: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` as it is, or
/// `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`, as `http://…` or `file:///…`; unless
/// `OTEL_SDK_DISABLED` is true or `OTEL_TRACES_EXPORTER` names another exporter. Headers, timeout
/// and service name have their standard variables too. `bad_request` for an endpoint of another
/// kind (there is no TLS here: a collector on this machine forwards).
enum class Wanted : std::uint8_t { no, yes };
struct SpanWish {
  Wanted wanted = Wanted::no;
  SpanSettings settings;
};
Result<SpanWish> span_settings(const Environment& environment);

}  // namespace troupe::telemetry
