// SPDX-License-Identifier: MIT
#include "telemetry/otel_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace troupe::telemetry {
namespace {

constexpr std::size_t max_pairs = 64;
constexpr std::size_t max_pair_bytes = 4096;
constexpr std::size_t max_url_bytes = 2048;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Percent escapes decoded; one that is none stays as it is.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

/// `a=b,c=d`; nothing where a part has no name or no `=`.
std::optional<Pairs> parse_pairs(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) {
      continue;
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || part.size() > max_pair_bytes ||
        pairs.size() == max_pairs) {
      return std::nullopt;
    }
    pairs.emplace_back(std::string{trimmed(part.substr(0, equals))},
                       decoded(trimmed(part.substr(equals + 1))));
  }
  return pairs;
}

bool is_token(const std::string& name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || marks.find(c) != marks.npos;
  });
}

bool is_field_value(const std::string& value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  });
}

/// The fields that the sender sets itself, or that would break its framing.
bool is_reserved(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> reserved{
      "host", "content-length", "content-type", "transfer-encoding", "connection", "expect"};
  return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

/// One reading of the variables, with what is to be said about it.
class Reader {
 public:
  explicit Reader(const Lookup& variable) : variable_(variable) {}

  OtelChoice read() {
    if (lower("OTEL_SDK_DISABLED") == "true" || !wanted() || !protocol_fits()) {
      return std::move(choice_);
    }
    SpanSettings settings;
    if (!target(settings) || !sampler(settings)) {
      return std::move(choice_);
    }
    headers(settings);
    resource(settings);
    settings.timeout = milliseconds("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
                                    "OTEL_EXPORTER_OTLP_TIMEOUT", settings.timeout);
    settings.delay =
        milliseconds("OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_SCHEDULE_DELAY", settings.delay);
    if (const auto batch = number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 512)) {
      settings.batch = static_cast<std::size_t>(*batch);
    }
    choice_.spans = std::move(settings);
    return std::move(choice_);
  }

 private:
  std::optional<std::string> value(const char* name) const { return variable_(name); }
  std::optional<std::string> value(const char* name, const char* general) const {
    auto found = variable_(name);
    return found ? found : variable_(general);
  }
  std::string lower(const char* name) const {
    std::string text{trimmed(variable_(name).value_or(""))};
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }
  void warn(std::string text) { choice_.warnings.push_back(std::move(text)); }

  /// The standard's default is to send to localhost; here nothing is sent that nobody asked for.
  bool wanted() {
    const std::string exporter = lower("OTEL_TRACES_EXPORTER");
    if (exporter.empty()) {
      return value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT").has_value();
    }
    std::string_view rest = exporter;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (trimmed(rest.substr(0, comma)) == "otlp") {
        return true;
      }
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (exporter != "none") {
      warn("OTEL_TRACES_EXPORTER: only otlp and none are known; no spans are sent");
    }
    return false;
  }

  bool protocol_fits() {
    const std::string protocol =
        value("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL").value_or("");
    // Collectors take both encodings of OTLP/HTTP at the same place.
    if (protocol.empty() || protocol == "http/json" || protocol == "http/protobuf") {
      return true;
    }
    warn("OTEL_EXPORTER_OTLP_PROTOCOL: only http/json can be spoken; no spans are sent");
    return false;
  }

  bool target(SpanSettings& settings) {
    const char* name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    std::string url = value(name).value_or("");
    const bool own = !url.empty();
    if (!own) {
      name = "OTEL_EXPORTER_OTLP_ENDPOINT";
      url = value(name).value_or("http://localhost:4318");
    }
    Result<SpanTarget> parsed = parse_span_target(url);
    if (!parsed) {
      warn(std::string{name} + ": " + parsed.error().message + "; no spans are sent");
      return false;
    }
    settings.target = std::move(*parsed);
    std::string& path = settings.target.path;
    if (settings.target.file.empty() && !own) {
      const std::string_view signal = "v1/traces";
      path += path.back() == '/' ? signal : "/" + std::string{signal};
    }
    return true;
  }

  bool sampler(SpanSettings& settings) {
    std::string name = lower("OTEL_TRACES_SAMPLER");
    constexpr std::string_view prefix = "parentbased_";
    if (name.compare(0, prefix.size(), prefix) == 0) {
      name.erase(0, prefix.size());  // every span here is a root
    }
    if (name == "always_off") {
      return false;
    }
    if (name == "traceidratio") {
      const std::string text = value("OTEL_TRACES_SAMPLER_ARG").value_or("1");
      char* end = nullptr;
      const double share = std::strtod(text.c_str(), &end);
      if (end == text.c_str() || *end != '\0' || !(share >= 0 && share <= 1)) {
        warn("OTEL_TRACES_SAMPLER_ARG: not a number from 0 to 1; all spans are sent");
      } else {
        settings.sampled = share;
      }
    } else if (!name.empty() && name != "always_on") {
      warn("OTEL_TRACES_SAMPLER: unknown; all spans are sent");
    }
    return true;
  }

  void headers(SpanSettings& settings) {
    const auto text = value("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS");
    if (!text) {
      return;
    }
    std::optional<Pairs> pairs = parse_pairs(*text);
    const bool usable =
        pairs && std::all_of(pairs->begin(), pairs->end(), [](const auto& pair) {
          return is_token(pair.first) && is_field_value(pair.second) && !is_reserved(pair.first);
        });
    if (usable) {
      settings.headers = std::move(*pairs);
    } else {
      warn("OTEL_EXPORTER_OTLP_HEADERS: not a list of name=value; no header is sent");
    }
  }

  void resource(SpanSettings& settings) {
    Pairs given;
    if (const auto text = value("OTEL_RESOURCE_ATTRIBUTES")) {
      if (std::optional<Pairs> pairs = parse_pairs(*text)) {
        given = std::move(*pairs);
      } else {
        warn("OTEL_RESOURCE_ATTRIBUTES: not a list of name=value; left out");
      }
    }
    std::string service = "troupe";
    for (const auto& [name, text] : given) {
      service = name == "service.name" ? text : service;
    }
    service = value("OTEL_SERVICE_NAME").value_or(service);
    settings.resource.emplace_back("service.name", service);
    for (auto& pair : given) {
      if (pair.first != "service.name") {
        settings.resource.push_back(std::move(pair));
      }
    }
  }

  std::optional<std::int64_t> number(const char* name, std::int64_t least, std::int64_t most) {
    const auto text = value(name);
    if (!text) {
      return std::nullopt;
    }
    std::int64_t n = 0;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), n);
    if (fault != std::errc{} || end != text->data() + text->size()) {
      warn(std::string{name} + ": not a number; the default is taken");
      return std::nullopt;
    }
    return std::clamp(n, least, most);
  }
  std::chrono::milliseconds milliseconds(const char* name, const char* general,
                                         std::chrono::milliseconds fallback) {
    constexpr std::int64_t most = 600'000;
    const auto n = number(value(name) ? name : general, 1, most);
    return n ? std::chrono::milliseconds{*n} : fallback;
  }

  const Lookup& variable_;
  OtelChoice choice_;
};

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

OtelChoice otel_settings(const Lookup& variable) {
  return Reader{variable}.read();
}

}  // namespace troupe::telemetry
