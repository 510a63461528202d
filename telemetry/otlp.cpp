// SPDX-License-Identifier: MIT
#include "telemetry/otlp.hpp"

#include <nlohmann/json.hpp>

#include "base/random.hpp"

namespace troupe::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t trace_id_bytes = 16;
constexpr std::size_t span_id_bytes = 8;
constexpr int internal_kind = 1;
constexpr int error_status = 2;

Json attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

/// 64-bit numbers are text in OTLP/JSON.
std::string nanoseconds(std::int64_t us) {
  return std::to_string(us * 1000);
}

Json to_json(const Span& span) {
  Json attributes = Json::array();
  for (const auto& [key, value] : span.attributes) {
    attributes.push_back(attribute(key, value));
  }
  Json json = {{"traceId", random_hex(trace_id_bytes)},
               {"spanId", random_hex(span_id_bytes)},
               {"name", span.name},
               {"kind", internal_kind},
               {"startTimeUnixNano", nanoseconds(span.start_us)},
               {"endTimeUnixNano", nanoseconds(span.end_us)},
               {"attributes", std::move(attributes)}};
  if (!span.error.empty()) {
    json["status"] = {{"code", error_status}, {"message", span.error}};
  }
  return json;
}

}  // namespace

std::string otlp_json(const std::vector<Span>& spans, const std::string& service_name) {
  Json list = Json::array();
  for (const Span& span : spans) {
    list.push_back(to_json(span));
  }
  const Json scope = {{"scope", {{"name", "troupe"}}}, {"spans", std::move(list)}};
  const Json resource = {{"attributes", Json::array({attribute("service.name", service_name)})}};
  const Json request = {{"resourceSpans", Json::array({{{"resource", resource},
                                                        {"scopeSpans", Json::array({scope})}}})}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace troupe::telemetry
