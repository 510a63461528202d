// SPDX-License-Identifier: MIT
#include "telemetry/settings.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace troupe::telemetry {
namespace {

std::string value_of(const Environment& environment, const std::string& name) {
  const auto at = environment.find(name);
  return at == environment.end() ? std::string{} : at->second;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

Error bad_endpoint(const std::string& text) {
  return {Code::bad_request, "a collector's endpoint is http://… or file:///…, not " + text};
}

/// `host`, `host:port` or `[address]:port`.
bool read_authority(std::string_view text, HttpEndpoint& endpoint) {
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) {
      return false;
    }
    host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  endpoint.host = host;
  if (!rest.empty()) {
    std::uint16_t port = 0;
    if (rest.front() != ':' || !read_number(rest.substr(1), port) || port == 0) {
      return false;
    }
    endpoint.port = std::to_string(port);
  }
  return !endpoint.host.empty();
}

Result<> read_endpoint(const std::string& text, SpanSettings& settings) {
  constexpr std::string_view http = "http://";
  constexpr std::string_view file = "file://";
  if (text.starts_with(file) && text.size() > file.size() && text[file.size()] == '/') {
    settings.endpoint = FileEndpoint{text.substr(file.size())};
    return success();
  }
  if (!text.starts_with(http)) {
    return bad_endpoint(text);
  }
  const std::string_view rest = std::string_view{text}.substr(http.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  HttpEndpoint endpoint;
  if (!read_authority(rest.substr(0, slash), endpoint)) {
    return bad_endpoint(text);
  }
  if (slash < rest.size()) {
    endpoint.path = rest.substr(slash);
  }
  settings.endpoint = std::move(endpoint);
  return success();
}

/// `name=value,name=value`; what is no pair, or could not stand in a header, is left out.
std::vector<std::pair<std::string, std::string>> read_headers(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> headers;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && equals > 0 &&
        pair.find_first_of("\r\n") == std::string_view::npos) {
      headers.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
  }
  return headers;
}

/// The variable of traces wins over the one of all signals.
std::string traces_or_all(const Environment& environment, const std::string& what) {
  const std::string own = value_of(environment, "OTEL_EXPORTER_OTLP_TRACES_" + what);
  return own.empty() ? value_of(environment, "OTEL_EXPORTER_OTLP_" + what) : own;
}

std::string endpoint_of(const Environment& environment) {
  std::string endpoint = value_of(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (!endpoint.empty()) {
    return endpoint;
  }
  endpoint = value_of(environment, "OTEL_EXPORTER_OTLP_ENDPOINT");
  if (!endpoint.starts_with("http://") || endpoint == "http://") {
    return endpoint;  // a file is that file; no host is a fault
  }
  return endpoint + (endpoint.ends_with('/') ? "v1/traces" : "/v1/traces");
}

}  // namespace

Result<MetricsPlace> parse_metrics_place(const std::string& text) {
  constexpr std::string_view socket = "unix:";
  if (text.starts_with(socket) && text.size() > socket.size() && text[socket.size()] == '/') {
    return MetricsPlace{SocketPath{text.substr(socket.size())}};
  }
  LoopbackPort place;
  std::string_view port = text;
  for (const auto& [prefix, address] :
       {std::pair<std::string_view, const char*>{"127.0.0.1:", "127.0.0.1"},
        {"localhost:", "127.0.0.1"},
        {"[::1]:", "::1"}}) {
    if (port.starts_with(prefix)) {
      port.remove_prefix(prefix.size());
      place.address = address;
      break;
    }
  }
  if (!read_number(port, place.port)) {
    return Error{Code::bad_request,
                 "figures are served on a port of the loopback, like 127.0.0.1:9464, or on "
                 "unix:/path, not on " +
                     text};
  }
  return MetricsPlace{place};
}

Result<SpanWish> span_settings(const Environment& environment) {
  SpanWish wish;
  const std::string exporter = value_of(environment, "OTEL_TRACES_EXPORTER");
  const std::string endpoint = endpoint_of(environment);
  if (endpoint.empty() || value_of(environment, "OTEL_SDK_DISABLED") == "true" ||
      (!exporter.empty() && exporter != "otlp")) {
    return wish;
  }
  if (Result<> read = read_endpoint(endpoint, wish.settings); !read) {
    return read.error();
  }
  wish.wanted = Wanted::yes;
  wish.settings.headers = read_headers(traces_or_all(environment, "HEADERS"));
  std::uint32_t timeout_ms = 0;
  if (read_number(traces_or_all(environment, "TIMEOUT"), timeout_ms) && timeout_ms > 0) {
    wish.settings.timeout = std::chrono::milliseconds{timeout_ms};
  }
  if (std::string name = value_of(environment, "OTEL_SERVICE_NAME"); !name.empty()) {
    wish.settings.service_name = std::move(name);
  }
  return wish;
}

}  // namespace troupe::telemetry
