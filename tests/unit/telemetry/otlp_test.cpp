// SPDX-License-Identifier: MIT
#include "telemetry/otlp.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace troupe::telemetry {

TEST_CASE("otlp: spans have ids times attributes and a status where they failed") {
  const Span good{"troupe.terminal.launch",
                  1'700'000'000'000'001,
                  1'700'000'000'000'500,
                  {{"connector_type", "pty"}, {"instance_id", "00aabbccddee"}},
                  ""};
  Span bad = good;
  bad.error = "io";
  const auto json = nlohmann::json::parse(otlp_json({good, bad}, "mine"));
  const auto& resource = json.at("resourceSpans").at(0);
  CHECK(resource.at("resource").at("attributes").at(0).at("value").at("stringValue") == "mine");
  const auto& spans = resource.at("scopeSpans").at(0).at("spans");
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].at("traceId").get<std::string>().size() == 32);
  CHECK(spans[0].at("spanId").get<std::string>().size() == 16);
  CHECK(spans[0].at("traceId") != spans[1].at("traceId"));
  CHECK(spans[0].at("name") == "troupe.terminal.launch");
  CHECK(spans[0].at("startTimeUnixNano") == "1700000000000001000");
  CHECK(spans[0].at("endTimeUnixNano") == "1700000000000500000");
  CHECK(spans[0].at("attributes").at(1).at("key") == "instance_id");
  CHECK_FALSE(spans[0].contains("status"));
  CHECK(spans[1].at("status").at("code") == 2);
}

}  // namespace troupe::telemetry
