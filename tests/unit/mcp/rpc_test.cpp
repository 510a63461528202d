// SPDX-License-Identifier: MIT
#include "mcp/rpc.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/octowright_vectors.hpp"

using troupe::mcp::Era;
using troupe::mcp::EraGuard;
using troupe::mcp::id_text;
using troupe::mcp::Json;
using troupe::mcp::max_nesting;
using troupe::mcp::negotiate_version;
using troupe::mcp::nests_too_deeply;

namespace {

Json modern_params(const std::string& version = "2026-07-28") {
  return {{"_meta",
           {{"io.modelcontextprotocol/protocolVersion", version},
            {"io.modelcontextprotocol/clientCapabilities", Json::object()}}}};
}

}  // namespace

TEST_CASE("rpc: initialize agrees to each legacy version and to no modern one") {
  const auto& wire = troupe::testing::octowright_vectors("mcp_wire");
  for (const auto& version : wire["sdk_numbers"]["v1_supported"]) {
    CHECK(negotiate_version(version.get<std::string>()) == version.get<std::string>());
  }
  for (const auto& row : wire["legacy"]) {
    if (row.contains("in") && row["in"]["method"] == "initialize") {
      CHECK(negotiate_version(row["in"]["params"]["protocolVersion"].get<std::string>()) ==
            row["result_has"]["protocolVersion"].get<std::string>());
    }
  }
}

TEST_CASE("rpc: a first request without a version claim is served as legacy") {
  EraGuard guard;
  CHECK_FALSE(guard.admit("tools/list", Json::object()));
  CHECK(guard.era() == Era::legacy);
}

TEST_CASE("rpc: a modern opening settles the era and each request must carry its version") {
  EraGuard guard;
  REQUIRE_FALSE(guard.admit("server/discover", modern_params()));
  CHECK(guard.era() == Era::modern);
  CHECK_FALSE(guard.admit("tools/list", modern_params()));
  CHECK(guard.admit("tools/list", Json::object())->code == -32602);
  CHECK(guard.admit("ping", modern_params())->code == -32601);
  CHECK(guard.admit("initialize", modern_params())->code == -32601);
  Json incomplete = modern_params();
  incomplete["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  CHECK(guard.admit("tools/list", incomplete)->code == -32602);
}

TEST_CASE("rpc: the capabilities of a modern client are an object") {
  for (const Json& value : {Json(5), Json(), Json("x"), Json::array()}) {
    Json params = modern_params();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = value;
    EraGuard guard;
    const auto refusal = guard.admit("tools/list", params);
    REQUIRE(refusal);
    CHECK(refusal->code == -32602);
    CHECK(guard.era() == Era::legacy);
  }
}

TEST_CASE("rpc: an unsupported version is refused with the asked one and decides nothing") {
  EraGuard guard;
  for (const char* version : {"2099-01-01", "2025-11-25"}) {
    const auto refusal = guard.admit("server/discover", modern_params(version));
    REQUIRE(refusal);
    CHECK(refusal->code == -32022);
    CHECK(refusal->requested == version);
  }
  CHECK_FALSE(guard.admit("initialize", Json::object()));
}

TEST_CASE("rpc: discover without a version is no method for a legacy client") {
  EraGuard guard;
  CHECK(guard.admit("server/discover", Json::object())->code == -32601);
}

TEST_CASE("rpc: nesting is measured outside of strings and refused beyond its limit") {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  CHECK_FALSE(nests_too_deeply(nested(max_nesting)));
  CHECK(nests_too_deeply(nested(max_nesting + 1)));
  CHECK(nests_too_deeply(R"({"a":)" + nested(max_nesting) + "}"));
  CHECK_FALSE(nests_too_deeply('"' + std::string(1000, '{') + '"'));
  CHECK_FALSE(nests_too_deeply(R"(["\"[)" + std::string(1000, '[') + R"("])"));
  std::string wide = "[";
  for (int n = 0; n < 1000; ++n) {
    wide += "[],{},";
  }
  CHECK_FALSE(nests_too_deeply(wide + "0]"));
}

TEST_CASE("rpc: only a string or a number identifies a request") {
  CHECK(id_text("a") == "\"a\"");
  CHECK(id_text(7) == "7");
  for (const Json& value : {Json(), Json(true), Json::array({1}), Json::object()}) {
    CHECK_FALSE(id_text(value));
  }
}
