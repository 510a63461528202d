// SPDX-License-Identifier: MIT
#include "telemetry/otel_settings.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace troupe;
using namespace troupe::telemetry;
using namespace std::chrono_literals;

namespace {

using Variables = std::map<std::string, std::string>;

OtelChoice choose(const Variables& variables) {
  return otel_settings([&](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() || at->second.empty() ? std::nullopt
                                                       : std::optional<std::string>{at->second};
  });
}

const std::string general = "OTEL_EXPORTER_OTLP_ENDPOINT";
const std::string traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

}  // namespace

TEST_CASE("otel_settings: where nothing is set no span is made") {  // TM-1
  CHECK_FALSE(choose({}).spans);
  CHECK_FALSE(choose({{"OTEL_SERVICE_NAME", "x"}, {"OTEL_RESOURCE_ATTRIBUTES", "a=b"}}).spans);
  CHECK_FALSE(choose({{general, "http://c:4318"}, {"OTEL_SDK_DISABLED", "TRUE"}}).spans);
  CHECK_FALSE(choose({{general, "http://c:4318"}, {"OTEL_TRACES_EXPORTER", "none"}}).spans);
  CHECK_FALSE(choose({{general, "http://c:4318"}, {"OTEL_TRACES_SAMPLER", "always_off"}}).spans);
  CHECK(choose({}).warnings.empty());
}

TEST_CASE("otel_settings: the general endpoint is a base and the one for traces is taken whole") {
  const auto target = [](const Variables& variables) {
    const OtelChoice choice = choose(variables);
    REQUIRE(choice.spans);
    const SpanTarget& t = choice.spans->target;
    return t.place() + " " + t.path;
  };
  CHECK(target({{general, "http://c:4318"}}) == "http://c:4318 /v1/traces");
  CHECK(target({{general, "http://c:4318/base/"}}) == "http://c:4318 /base/v1/traces");
  CHECK(target({{general, "http://[::1]:4318/b"}}) == "http://[::1]:4318 /b/v1/traces");
  CHECK(target({{general, "http://c"}}) == "http://c:80 /v1/traces");
  CHECK(target({{traces, "http://c:1/x?k=v"}, {general, "http://d"}}) == "http://c:1 /x?k=v");
  CHECK(target({{traces, "http://c:1"}}) == "http://c:1 /");
  CHECK(target({{"OTEL_TRACES_EXPORTER", "console, otlp"}}) == "http://localhost:4318 /v1/traces");
  CHECK(target({{traces, "file:///var/log/my%20spans.jsonl"}}) ==
        "file:///var/log/my spans.jsonl ");
  CHECK(target({{general, "file://localhost/spans"}}) == "file:///spans ");
}

TEST_CASE("otel_settings: what does not fit is a warning and nothing is sent") {  // TM-11
  for (const Variables& variables :
       {Variables{{general, "https://c:4318"}}, Variables{{general, "c:4318"}},
        Variables{{general, "http://"}}, Variables{{general, "http://c:0"}},
        Variables{{general, "http://c:99999"}}, Variables{{general, "http://c:4318x/"}},
        Variables{{general, "http://user:hunter2@c:4318"}}, Variables{{general, "file://spans"}},
        Variables{{general, "http://c/a\r\nX: y"}}, Variables{{general, "ftp://c"}},
        Variables{{general, "http://c"}, {"OTEL_TRACES_EXPORTER", "zipkin"}},
        Variables{{general, "http://c"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}}) {
    const OtelChoice choice = choose(variables);
    CAPTURE(variables.begin()->second);
    CHECK_FALSE(choice.spans);
    REQUIRE(choice.warnings.size() == 1);
    CHECK(choice.warnings[0].find("OTEL_") == 0);
    CHECK(choice.warnings[0].find("hunter2") == std::string::npos);
  }
}

TEST_CASE(
    "otel_settings: a part that does not fit is left out and its value told to nobody") {  // TM-11
  const OtelChoice choice = choose({{general, "http://c:4318"},
                                    {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=a%0Ahunter2"},
                                    {"OTEL_RESOURCE_ATTRIBUTES", "hunter2"},
                                    {"OTEL_EXPORTER_OTLP_TIMEOUT", "soon"},
                                    {"OTEL_TRACES_SAMPLER", "traceidratio"},
                                    {"OTEL_TRACES_SAMPLER_ARG", "2"}});
  REQUIRE(choice.spans);
  CHECK(choice.spans->headers.empty());
  CHECK(choice.spans->timeout == 10s);
  CHECK(choice.spans->sampled == 1.0);
  CHECK(choice.warnings.size() == 4);
  for (const std::string& warning : choice.warnings) {
    CHECK(warning.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("otel_settings: headers are decoded and those that would break a request refused") {
  const OtelChoice choice =
      choose({{general, "http://c:4318"},
              {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc , x-tenant = t,"}});
  REQUIRE(choice.spans);
  CHECK(choice.spans->headers == Pairs{{"authorization", "Bearer abc"}, {"x-tenant", "t"}});
  for (const char* text : {"Host=x", "content-length=3", "bad name=x", "=x", "x"}) {
    CAPTURE(text);
    const OtelChoice refused =
        choose({{general, "http://c:4318"}, {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", text}});
    CHECK(refused.spans->headers.empty());
    CHECK(refused.warnings.size() == 1);
  }
}

TEST_CASE("otel_settings: the service's name and the resource come from their variables") {
  CHECK(choose({{general, "http://c"}}).spans->resource == Pairs{{"service.name", "troupe"}});
  CHECK(choose({{general, "http://c"}, {"OTEL_RESOURCE_ATTRIBUTES", "service.name=a,host.name=b"}})
            .spans->resource == Pairs{{"service.name", "a"}, {"host.name", "b"}});
  CHECK(choose({{general, "http://c"},
                {"OTEL_SERVICE_NAME", "n"},
                {"OTEL_RESOURCE_ATTRIBUTES", "service.name=a,host.name=b"}})
            .spans->resource == Pairs{{"service.name", "n"}, {"host.name", "b"}});
}

TEST_CASE("otel_settings: times and sizes are clamped and the special variable wins") {
  const OtelChoice choice = choose({{general, "http://c"},
                                    {"OTEL_EXPORTER_OTLP_TIMEOUT", "5"},
                                    {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "7"},
                                    {"OTEL_BSP_SCHEDULE_DELAY", "999999999"},
                                    {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0"},
                                    {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"},
                                    {"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"},
                                    {"OTEL_TRACES_SAMPLER_ARG", "0.25"}});
  REQUIRE(choice.spans);
  CHECK(choice.spans->timeout == 7ms);
  CHECK(choice.spans->delay == 600s);
  CHECK(choice.spans->batch == 1);
  CHECK(choice.spans->sampled == 0.25);
  CHECK(choice.warnings.empty());
}
