// SPDX-License-Identifier: MIT
#include "mcp/listens.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::mcp;

namespace {

constexpr const char* subscription_key = "io.modelcontextprotocol/subscriptionId";

Json asking(const Json& notifications) {
  return {{"notifications", notifications}};
}

/// Listens that ask nothing of a daemon, and what they said.
struct Fixture {
  std::vector<Json> sent;
  std::vector<Json> results;
  DaemonLink daemon{client::DaemonAddress{}};
  Watches watches{daemon, [](const std::string&, const ResourceName&) {}};
  Listens listens{daemon,
                  watches,
                  {[this](const std::string& line) { sent.push_back(Json::parse(line)); },
                   [this](const Json& id, Json result) {
                     result["id"] = id;
                     results.push_back(std::move(result));
                   }}};
};

}  // namespace

TEST_CASE("listens: a filter is read with its types and no resource twice") {
  const auto filter = ListenFilter::read(asking({{"toolsListChanged", true},
                                                 {"resourcesListChanged", true},
                                                 {"resourceSubscriptions", {"a", "b", "a"}},
                                                 {"ofTomorrow", 1}}));
  REQUIRE(filter);
  CHECK(filter->resources_list);
  CHECK(filter->uris == std::vector<std::string>{"a", "b"});
  for (const Json& wrong :
       {Json::object(), asking(3), asking({{"toolsListChanged", 1}}),
        asking({{"resourcesListChanged", "yes"}}), asking({{"resourceSubscriptions", "a"}}),
        asking({{"resourceSubscriptions", {1}}})}) {
    CAPTURE(wrong.dump());
    CHECK(!ListenFilter::read(wrong));
  }
  Json many = Json::array();
  for (std::size_t n = 0; n <= ListenFilter::max_uris; ++n) {
    many.push_back("troupe://terminal/" + std::to_string(n));
  }
  const auto refused = ListenFilter::read(asking({{"resourceSubscriptions", many}}));
  REQUIRE(!refused);
  CHECK(refused.error().message == "too many resources: a subscription holds at most 256");
}

TEST_CASE("listens: what is not honoured is left out and the id comes back as it was sent") {
  Fixture f;
  f.listens.open("listen:0", asking({{"toolsListChanged", true}, {"promptsListChanged", true}}));
  f.listens.open(7, asking(Json::object()));
  REQUIRE(f.sent.size() == 2);
  CHECK(f.sent[0]["method"] == "notifications/subscriptions/acknowledged");
  CHECK(f.sent[0]["params"]["notifications"] == Json::object());
  CHECK(f.sent[0]["params"]["_meta"][subscription_key] == "listen:0");
  CHECK(f.sent[1]["params"]["_meta"][subscription_key] == 7);
  CHECK(f.listens.has("7"));
}

TEST_CASE("listens: a cancelled one has no answer and the others end with a result") {
  Fixture f;
  f.listens.open("a", asking(Json::object()));
  f.listens.open("b", asking(Json::object()));
  CHECK(f.listens.cancel("\"a\""));
  CHECK(!f.listens.cancel("\"a\""));
  f.listens.close_all();
  REQUIRE(f.results.size() == 1);
  CHECK(f.results[0]["id"] == "b");
  CHECK(f.results[0]["_meta"][subscription_key] == "b");
  CHECK(!f.listens.cancel("\"b\""));
}

TEST_CASE("listens: one more than the bound is refused by name") {
  Fixture f;
  for (std::size_t n = 0; n <= Listens::max_listens; ++n) {
    f.listens.open(n, asking(Json::object()));
  }
  const Json& last = f.sent.back();
  CHECK(last["id"] == Listens::max_listens);
  CHECK(last["error"]["code"] == rpc_code::invalid_request);
  CHECK(last["error"]["message"] == "too many subscriptions: at most 64 are open at once");
  CHECK(f.listens.cancel("0"));
  f.listens.open("again", asking(Json::object()));
  CHECK(f.sent.back()["method"] == "notifications/subscriptions/acknowledged");
}

TEST_CASE("watches: a resource has one name and nothing else is one") {
  for (const ResourceName& name : {ResourceName{TerminalId{0xbeef}, View::screen},
                                   ResourceName{TerminalId{1}, View::journal}}) {
    CHECK(parse_uri(to_uri(name)) == name);
  }
  for (const char* wrong : {"", "troupe://terminal/", "troupe://terminal/00000000beef",
                            "troupe://terminal/00000000beef/screens",
                            "troupe://terminal/00000000BEEG/screen", "file:///etc/passwd"}) {
    CHECK(!parse_uri(wrong));
  }
}
