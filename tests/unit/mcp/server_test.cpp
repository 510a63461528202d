// SPDX-License-Identifier: MIT
#include "mcp/server.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace troupe::mcp;

namespace {

/// A server that is asked nothing for which it needs a daemon.
struct Fixture {
  std::vector<Json> sent;
  Server server{{}, [this](const std::string& line) { sent.push_back(Json::parse(line)); }};

  /// What is said to this message.
  std::vector<Json> said(const Json& message) {
    sent.clear();
    server.line(message.dump());
    return std::exchange(sent, {});
  }
};

}  // namespace

TEST_CASE("server: a request that names another JSON-RPC or none is refused by its id") {
  Fixture f;
  for (const Json& id : {Json(7), Json("seven"), Json::array()}) {
    for (const Json& version : {Json(), Json("1.0"), Json(2.0)}) {
      Json message = {{"id", id}, {"method", "ping"}};
      if (!version.is_null()) {
        message["jsonrpc"] = version;
      }
      const auto said = f.said(message);
      REQUIRE(said.size() == 1);
      CHECK(said[0]["jsonrpc"] == "2.0");
      CHECK(said[0]["id"] == (id.is_array() ? Json() : id));
      CHECK(said[0]["error"]["code"] == rpc_code::invalid_request);
    }
  }
  CHECK(f.said({{"method", "ping"}}).empty());
  CHECK(f.said({{"id", 1}, {"result", Json::object()}}).empty());
  CHECK(f.said({{"id", 1}, {"error", Json::object()}}).empty());
}

TEST_CASE("server: a request with the id of one under way is refused and disturbs nothing") {
  const Json meta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  const auto request = [&](const Json& id, const char* method) {
    return Json{{"jsonrpc", "2.0"},
                {"id", id},
                {"method", method},
                {"params", {{"_meta", meta}, {"notifications", Json::object()}}}};
  };
  Fixture f;
  REQUIRE(f.said(request(1, "subscriptions/listen")).size() == 1);
  for (const char* method : {"tools/list", "server/discover", "resources/templates/list",
                             "tools/call", "subscriptions/listen", "no/such"}) {
    CAPTURE(method);
    const auto said = f.said(request(1, method));
    REQUIRE(said.size() == 1);
    CHECK(said[0]["id"] == 1);
    CHECK(said[0]["error"]["code"] == rpc_code::invalid_request);
  }
  CHECK(f.said(request("1", "tools/list"))[0].contains("result"));
  CHECK(f.said(request(2, "resources/templates/list"))[0].contains("result"));
  CHECK(f.said(request(2, "no/such"))[0]["error"]["code"] == rpc_code::method_not_found);
  CHECK(f.said(request(2, "tools/list"))[0].contains("result"));
  f.server.input_ended();
  REQUIRE(f.sent.size() == 1);
  CHECK(f.sent[0]["id"] == 1);
  CHECK(f.sent[0]["result"]["resultType"] == "complete");
}
