// SPDX-License-Identifier: MIT
#include "telemetry/span_target.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "telemetry/otel_text.hpp"

namespace troupe::telemetry {
namespace {

constexpr std::size_t max_url_bytes = 2048;

Result<SpanTarget> parse_file(std::string_view rest) {
  constexpr std::string_view localhost = "localhost";
  if (rest.substr(0, localhost.size()) == localhost) {
    rest.remove_prefix(localhost.size());
  }
  SpanTarget target;
  target.file = decoded(rest);
  if (target.file.empty() || target.file.front() != '/' ||
      target.file.find('\0') != std::string::npos) {
    return Error{Code::bad_request, "a file is written as file:///PATH"};
  }
  return target;
}

Result<SpanTarget> parse_http(std::string_view rest) {
  SpanTarget target;
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  target.path = std::string{rest.substr(slash, rest.find('#') - slash)};
  if (target.path.empty() || target.path.front() != '/') {
    target.path.insert(0, "/");
  }
  if (authority.find('@') != std::string_view::npos) {
    return Error{Code::bad_request, "credentials belong into OTEL_EXPORTER_OTLP_HEADERS"};
  }
  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t close = std::min(authority.find(']'), authority.size());
    target.host = std::string{authority.substr(1, close - 1)};
    port = authority.substr(std::min(close + 1, authority.size()));
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    target.host = std::string{authority.substr(0, colon)};
    port = authority.substr(colon);
  }
  const bool has_port = !port.empty();
  if (has_port) {
    const char* const end = port.data() + port.size();
    const auto [at, fault] = std::from_chars(port.data() + 1, end, target.port);
    if (port.front() != ':' || fault != std::errc{} || at != end || target.port == 0) {
      return Error{Code::bad_request, "the port is a number from 1 to 65535"};
    }
  }
  const bool plain = std::all_of(rest.begin(), rest.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7F;
  });
  if (target.host.empty() || !plain) {
    return Error{Code::bad_request, "not a URL"};
  }
  return target;
}

}  // namespace

std::string SpanTarget::place() const {
  if (!file.empty()) {
    return "file://" + file;
  }
  const bool v6 = host.find(':') != std::string::npos;
  return "http://" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<SpanTarget> parse_span_target(const std::string& url) {
  const std::string_view text = trimmed(url);
  const auto after = [&](std::string_view scheme) -> std::optional<std::string_view> {
    return text.substr(0, scheme.size()) == scheme
               ? std::optional<std::string_view>{text.substr(scheme.size())}
               : std::nullopt;
  };
  if (text.size() > max_url_bytes) {
    return Error{Code::too_large, "the URL is too long"};
  }
  if (const auto rest = after("file://")) {
    return parse_file(*rest);
  }
  if (const auto rest = after("http://")) {
    return parse_http(*rest);
  }
  if (after("https://")) {
    return Error{Code::unsupported,
                 "https is not spoken here: send to a collector on this machine over http"};
  }
  return Error{Code::bad_request, "expected http://HOST:PORT or file:///PATH"};
}

}  // namespace troupe::telemetry
