// SPDX-License-Identifier: MIT
#include "telemetry/otlp_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace troupe;
using namespace troupe::telemetry;
using nlohmann::json;

namespace {

std::string counting_hex(std::size_t bytes) {
  return std::string(bytes * 2 - 1, '0') + "a";
}

}  // namespace

TEST_CASE("otlp_json: a span is what a collector reads") {  // TM-9
  const std::vector<Span> spans{
      {SpanName::launch,
       Connector::ssh,
       {0xABCDEF},
       1'700'000'000'123'000'000,
       1'700'000'001'123'000'000,
       {}},
      {SpanName::send_input, Connector::pty, {max_terminal_id}, 1, 2, "exited"}};
  const std::string line =
      otlp_traces(spans, {{"service.name", "troupe"}, {"odd", "\xff"}}, "0.1.0", counting_hex);
  CHECK(line.find('\n') == std::string::npos);
  const json whole = json::parse(line);
  const json& resource = whole["resourceSpans"][0];
  CHECK(resource["resource"]["attributes"][0] ==
        json{{"key", "service.name"}, {"value", {{"stringValue", "troupe"}}}});
  CHECK(resource["scopeSpans"][0]["scope"] == json{{"name", "troupe"}, {"version", "0.1.0"}});
  CHECK(resource["scopeSpans"][0]["spans"][0] == json::parse(R"({
    "traceId": "0000000000000000000000000000000a", "spanId": "000000000000000a",
    "name": "octowright.terminal.launch", "kind": 1,
    "startTimeUnixNano": "1700000000123000000", "endTimeUnixNano": "1700000001123000000",
    "attributes": [{"key": "connector_type", "value": {"stringValue": "ssh"}},
                   {"key": "instance_id", "value": {"stringValue": "000000abcdef"}}],
    "status": {}})"));
  const json& second = resource["scopeSpans"][0]["spans"][1];
  CHECK(second["name"] == "octowright.terminal.send_input");
  CHECK(second["status"] == json{{"code", 2}});
  CHECK(second["attributes"][1]["value"]["stringValue"] == "ffffffffffff");
  CHECK(second["attributes"][2] ==
        json{{"key", "error.type"}, {"value", {{"stringValue", "exited"}}}});
}

TEST_CASE("otlp_json: what a collector refused is read in both spellings and nothing else") {
  CHECK(rejected_spans(R"({"partialSuccess":{"rejectedSpans":"3"}})") == 3);
  CHECK(rejected_spans(R"({"partialSuccess":{"rejectedSpans":4}})") == 4);
  for (const char* text : {"", "{}", "[]", "null", R"({"partialSuccess":[]})", "\xff",
                           R"({"partialSuccess":{"rejectedSpans":-1}})",
                           R"({"partialSuccess":{"rejectedSpans":"x"}})"}) {
    CAPTURE(text);
    CHECK(rejected_spans(text) == 0);
  }
}
