// SPDX-License-Identifier: MIT
#include "mcp/batch.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "mcp/server.hpp"

using namespace troupe::mcp;

namespace {

/// A server that is asked nothing for which it needs a daemon.
struct Fixture {
  std::vector<Json> sent;
  Server server{{}, [this](const std::string& line) { sent.push_back(Json::parse(line)); }};

  explicit Fixture(const std::string& version) {
    server.line(R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":")" +
                version + "\"}}");
    sent.clear();
  }
};

std::string ping(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})";
}

}  // namespace

TEST_CASE("batch: the answers are one array once the last one came") {
  std::vector<std::string> sent;
  Batch batch([&](std::string line) { sent.push_back(std::move(line)); });
  batch.expect();
  batch.expect();
  batch.expect();
  batch.answer("1");
  batch.close();
  batch.withdraw();
  CHECK(sent.empty());
  batch.answer("3");
  CHECK(sent == std::vector<std::string>{"[1,3]"});
}

TEST_CASE("batch: what is not to be answered is not answered") {
  std::vector<std::string> sent;
  Batch batch([&](std::string line) { sent.push_back(std::move(line)); });
  batch.expect();
  batch.withdraw();
  batch.close();
  CHECK(sent.empty());
}

TEST_CASE("batch: requests are answered together in the version that has batches") {
  Fixture f("2025-03-26");
  f.server.line("[" + ping("1") + R"(,{"jsonrpc":"2.0","method":"notifications/initialized"},)" +
                ping("\"two\"") + R"(,{"jsonrpc":"2.0","id":3,"method":"no/such"}])");
  REQUIRE(f.sent.size() == 1);
  REQUIRE(f.sent[0].size() == 3);
  CHECK(f.sent[0][0] == Json{{"jsonrpc", "2.0"}, {"id", 1}, {"result", Json::object()}});
  CHECK(f.sent[0][1]["id"] == "two");
  CHECK(f.sent[0][2]["error"]["code"] == rpc_code::method_not_found);
  f.server.line(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  CHECK(f.sent.size() == 1);
}

TEST_CASE("batch: what is no message in one is refused in its place") {
  Fixture f("2025-03-26");
  f.server.line("[1,[" + ping("2") + "]," + ping("3") +
                R"(,{"jsonrpc":"2.0","id":4,"method":"initialize"},{"jsonrpc":"2.0","id":5}])");
  REQUIRE(f.sent.size() == 1);
  const Json& answers = f.sent[0];
  REQUIRE(answers.size() == 5);
  for (const std::size_t at : {0U, 1U, 3U, 4U}) {
    CHECK(answers[at]["error"]["code"] == rpc_code::invalid_request);
  }
  CHECK(answers[1]["id"] == nullptr);
  CHECK(answers[2].contains("result"));
  CHECK(answers[3]["id"] == 4);
}

TEST_CASE("batch: an empty one and one over the bound are refused whole") {
  Fixture f("2025-03-26");
  f.server.line("[]");
  std::string many = "[" + ping("0");
  for (std::size_t n = 1; n <= Batch::max_messages; ++n) {
    many += "," + ping(std::to_string(n));
  }
  f.server.line(many + "]");
  REQUIRE(f.sent.size() == 2);
  CHECK(f.sent[0]["error"]["message"] == "an empty batch");
  CHECK(f.sent[1]["error"]["message"] == "a batch holds at most 100 messages");
  CHECK(f.sent[1]["error"]["code"] == rpc_code::invalid_request);
}

TEST_CASE("batch: no other version has one") {
  for (const char* version : {"2025-11-25", "2025-06-18", "2024-11-05"}) {
    Fixture f(version);
    f.server.line("[" + ping("1") + "]");
    REQUIRE(f.sent.size() == 1);
    CHECK(f.sent[0]["error"]["code"] == rpc_code::invalid_request);
    CHECK(f.sent[0]["id"] == nullptr);
  }
}
