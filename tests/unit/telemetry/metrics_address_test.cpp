// SPDX-License-Identifier: MIT
#include "telemetry/metrics_address.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace troupe;
using namespace troupe::telemetry;

TEST_CASE("metrics_address: loopback addresses and Unix sockets are taken") {
  struct Row {
    const char* text;
    MetricsAddress wanted;
  };
  const std::array<Row, 7> rows{{
      {"127.0.0.1:9464", {"", "127.0.0.1", 9464}},
      {"127.9.8.7:0", {"", "127.9.8.7", 0}},
      {"localhost:65535", {"", "127.0.0.1", 65535}},
      {"[::1]:9464", {"", "::1", 9464}},
      {"unix:/run/user/1/m.sock", {"/run/user/1/m.sock", "", 0}},
      {"unix:metrics.sock", {"/state/main/metrics.sock", "", 0}},
      {"unix:/a:b", {"/a:b", "", 0}},
  }};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto address = parse_metrics_address(row.text, "/state/main");
    REQUIRE(address);
    CHECK(*address == row.wanted);
  }
}

TEST_CASE("metrics_address: what others could reach is refused and the message says why") {  // TM-2
  for (const char* text :
       {"0.0.0.0:9464", "192.168.0.1:9464", "128.0.0.1:9464", "[::]:9464", "[2001:db8::1]:9464",
        "[::ffff:10.0.0.1]:9464", "example.org:9464", ":9464", "127.1:9464"}) {
    CAPTURE(text);
    const auto address = parse_metrics_address(text, "/state/main");
    REQUIRE_FALSE(address);
    CHECK(address.error().code == Code::bad_request);
    CHECK(address.error().message.find("only a loopback address") != std::string::npos);
  }
}

TEST_CASE("metrics_address: what is no address is refused") {  // TM-2
  for (const char* text : {"", "9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                           "127.0.0.1:-1", "127.0.0.1:80x", "::1:9464", "unix:"}) {
    CAPTURE(text);
    const auto address = parse_metrics_address(text, "/state/main");
    REQUIRE_FALSE(address);
    CHECK(address.error().code == Code::bad_request);
  }
}
