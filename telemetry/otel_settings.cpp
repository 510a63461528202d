// SPDX-License-Identifier: MIT
#include "telemetry/otel_settings.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "telemetry/otel_text.hpp"

namespace troupe::telemetry {
namespace {

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
    const bool usable = pairs && std::all_of(pairs->begin(), pairs->end(), [](const auto& pair) {
                          return is_sendable_header(pair.first, pair.second);
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

}  // namespace

OtelChoice otel_settings(const Lookup& variable) {
  return Reader{variable}.read();
}

}  // namespace troupe::telemetry
