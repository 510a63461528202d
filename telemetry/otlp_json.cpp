// SPDX-License-Identifier: MIT
#include "telemetry/otlp_json.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace troupe::telemetry {
namespace {

using nlohmann::json;

constexpr std::size_t trace_id_bytes = 16;
constexpr std::size_t span_id_bytes = 8;
constexpr int kind_internal = 1;  // SPAN_KIND_INTERNAL
constexpr int status_error = 2;   // STATUS_CODE_ERROR

constexpr std::array<const char*, 3> span_names{
    "octowright.terminal.launch", "octowright.terminal.close", "octowright.terminal.send_input"};
constexpr std::array<const char*, connectors> connector_names{"pty", "ssh", "telnet"};

json attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

std::string instance_id(TerminalId id) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%012llx", static_cast<unsigned long long>(id.value));
  return text.data();
}

json span_of(const Span& span, const RandomHex& random) {
  json out{{"traceId", random(trace_id_bytes)},
           {"spanId", random(span_id_bytes)},
           {"name", span_names.at(static_cast<std::size_t>(span.name))},
           {"kind", kind_internal},
           {"startTimeUnixNano", std::to_string(span.start_ns)},
           {"endTimeUnixNano", std::to_string(span.end_ns)},
           {"status", json::object()}};
  json attributes = json::array();
  attributes.push_back(
      attribute("connector_type", connector_names.at(static_cast<std::size_t>(span.connector))));
  attributes.push_back(attribute("instance_id", instance_id(span.terminal)));
  if (!span.error.empty()) {
    attributes.push_back(attribute("error.type", std::string{span.error}));
    out["status"]["code"] = status_error;
  }
  out["attributes"] = std::move(attributes);
  return out;
}

}  // namespace

std::string otlp_traces(const std::vector<Span>& spans, const Pairs& resource,
                        std::string_view version, const RandomHex& random) {
  json attributes = json::array();
  for (const auto& [key, value] : resource) {
    attributes.push_back(attribute(key, value));
  }
  json list = json::array();
  for (const Span& span : spans) {
    list.push_back(span_of(span, random));
  }
  json scope{{"scope", {{"name", "troupe"}, {"version", version}}}, {"spans", std::move(list)}};
  json whole{{"resource", {{"attributes", std::move(attributes)}}},
             {"scopeSpans", json::array({std::move(scope)})}};
  const json request{{"resourceSpans", json::array({std::move(whole)})}};
  // A variable of the environment may hold any bytes.
  return request.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::uint64_t rejected_spans(std::string_view answer) {
  const json parsed = json::parse(answer, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("partialSuccess") ||
      !parsed["partialSuccess"].is_object()) {
    return 0;
  }
  const json& partial = parsed["partialSuccess"];
  const auto at = partial.find("rejectedSpans");
  if (at == partial.end()) {
    return 0;
  }
  if (at->is_number_unsigned()) {
    return at->get<std::uint64_t>();
  }
  std::uint64_t count = 0;
  if (at->is_string()) {
    const auto& text = at->get_ref<const std::string&>();
    (void)std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return count;
}

}  // namespace troupe::telemetry
