// SPDX-License-Identifier: MIT
#include "mcp/asked.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using troupe::mcp::Asked;
using troupe::mcp::Batch;
using troupe::mcp::Era;
using troupe::mcp::Json;

namespace {

struct Sent {
  std::vector<std::string> lines{};
  Asked::Send send() {
    return [this](std::string line) { lines.push_back(std::move(line)); };
  }
};

}  // namespace

TEST_CASE("asked: a result has what its era wants and no more") {
  Sent sent;
  Asked asked("7", Era::legacy, sent.send());
  asked.answer_cacheable({{"a", 1}});
  CHECK(Json::parse(sent.lines.back()) ==
        Json{{"jsonrpc", "2.0"}, {"id", 7}, {"result", {{"a", 1}}}});
  asked.belongs_to(Era::modern);
  asked.answer({{"a", 1}});
  Json result = Json::parse(sent.lines.back())["result"];
  CHECK(result["resultType"] == "complete");
  CHECK_FALSE(result.contains("ttlMs"));
  CHECK(result["_meta"].size() == 1);
  asked.answer_cacheable({{"a", 1}});
  result = Json::parse(sent.lines.back())["result"];
  CHECK(result["ttlMs"] == 0);
  CHECK(result["cacheScope"] == "private");
}

TEST_CASE("asked: the answers to a batch are one line and what was withdrawn is not in it") {
  Sent sent;
  const auto batch = std::make_shared<Batch>(sent.send());
  batch->expect();
  batch->expect();
  const Asked first("1", Era::legacy, sent.send(), batch);
  const Asked second("\"b\"", Era::legacy, sent.send(), batch);
  batch->close();
  first.withdraw();
  CHECK(sent.lines.empty());
  second.refuse(-1, "no");
  REQUIRE(sent.lines.size() == 1);
  const Json answers = Json::parse(sent.lines.front());
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["id"] == "b");
}
