// SPDX-License-Identifier: MIT
#include "telemetry/settings.hpp"

#include <doctest/doctest.h>

#include <array>

namespace troupe::telemetry {

TEST_CASE("settings: TEL-2 figures are served to this machine only") {
  CHECK(std::get<LoopbackPort>(*parse_metrics_place("9464")) == LoopbackPort{"127.0.0.1", 9464});
  CHECK(std::get<LoopbackPort>(*parse_metrics_place("127.0.0.1:0")) ==
        LoopbackPort{"127.0.0.1", 0});
  CHECK(std::get<LoopbackPort>(*parse_metrics_place("localhost:80")) ==
        LoopbackPort{"127.0.0.1", 80});
  CHECK(std::get<LoopbackPort>(*parse_metrics_place("[::1]:80")) == LoopbackPort{"::1", 80});
  CHECK(std::get<SocketPath>(*parse_metrics_place("unix:/run/m")) == SocketPath{"/run/m"});
  for (const char* refused : {"0.0.0.0:9464", "", "x", "10.0.0.1:80", ":80", "65536", "-1", "80x",
                              "unix:relative", "unix:", "[::]:80"}) {
    CAPTURE(refused);
    const Result<MetricsPlace> place = parse_metrics_place(refused);
    REQUIRE_FALSE(place.ok());
    CHECK(place.error().code == Code::bad_request);
  }
}

TEST_CASE("settings: TEL-1 spans are wanted only where the standard variables say so") {
  CHECK(span_settings({})->wanted == Wanted::no);
  CHECK(span_settings({{"OTEL_SERVICE_NAME", "x"}})->wanted == Wanted::no);
  Environment environment{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"}};
  CHECK(span_settings(environment)->wanted == Wanted::yes);
  environment["OTEL_TRACES_EXPORTER"] = "none";
  CHECK(span_settings(environment)->wanted == Wanted::no);
  environment["OTEL_TRACES_EXPORTER"] = "otlp";
  CHECK(span_settings(environment)->wanted == Wanted::yes);
  environment["OTEL_SDK_DISABLED"] = "true";
  CHECK(span_settings(environment)->wanted == Wanted::no);
}

TEST_CASE(
    "settings: an endpoint of all signals gets the path of traces and one of traces is exact") {
  struct Case {
    const char* all;
    const char* traces;
    HttpEndpoint endpoint;
  };
  const std::array cases{
      Case{"http://localhost:4318", "", {"localhost", "4318", "/v1/traces"}},
      Case{"http://h/base/", "", {"h", "80", "/base/v1/traces"}},
      Case{"http://h:1", "http://[::1]:4318/x", {"::1", "4318", "/x"}},
      Case{"", "http://h", {"h", "80", "/"}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.all);
    const Result<SpanWish> wish =
        span_settings({{"OTEL_EXPORTER_OTLP_ENDPOINT", each.all},
                       {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", each.traces}});
    REQUIRE(wish.ok());
    CHECK(std::get<HttpEndpoint>(wish->settings.endpoint) == each.endpoint);
  }
  const Result<SpanWish> file = span_settings({{"OTEL_EXPORTER_OTLP_ENDPOINT", "file:///tmp/s"}});
  CHECK(std::get<FileEndpoint>(file->settings.endpoint) == FileEndpoint{"/tmp/s"});
  for (const char* refused : {"https://h", "h:4318", "http://", "http://h:0", "http://h:x",
                              "http://[::1", "file://relative", "grpc://h"}) {
    CAPTURE(refused);
    CHECK_FALSE(span_settings({{"OTEL_EXPORTER_OTLP_ENDPOINT", refused}}).ok());
  }
}

TEST_CASE("settings: headers timeout and service name have their variables") {
  const Result<SpanWish> wish =
      span_settings({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"},
                     {"OTEL_EXPORTER_OTLP_HEADERS", "no"},
                     {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=1,bad,b=2=3"},
                     {"OTEL_EXPORTER_OTLP_TIMEOUT", "250"},
                     {"OTEL_SERVICE_NAME", "mine"}});
  REQUIRE(wish.ok());
  REQUIRE(wish->settings.headers.size() == 2);
  CHECK(wish->settings.headers[0] == std::pair<std::string, std::string>{"a", "1"});
  CHECK(wish->settings.headers[1] == std::pair<std::string, std::string>{"b", "2=3"});
  CHECK(wish->settings.timeout == std::chrono::milliseconds{250});
  CHECK(wish->settings.service_name == "mine");
}

}  // namespace troupe::telemetry
