// SPDX-License-Identifier: MIT
#include "mcp/arguments.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using troupe::mcp::Arguments;
using troupe::mcp::instance_id;
using troupe::mcp::Json;
using troupe::mcp::parse_instance_id;

TEST_CASE("arguments: the first wrong argument is named and nothing is read from it") {
  const Json object = {{"cols", "80"}, {"rows", 24.5}};
  Arguments arguments(object);
  CHECK(arguments.integer("cols", 1, 100, 7) == 7);
  CHECK(arguments.integer("rows", 1, 100, 8) == 8);
  REQUIRE(arguments.fault());
  CHECK(arguments.fault()->message == "cols must be a whole number from 1 to 100");
}

TEST_CASE("arguments: null counts as absent and an unknown name is refused") {
  const Json object = {{"label", nullptr}, {"lable", "x"}};
  Arguments arguments(object);
  CHECK_FALSE(arguments.optional_text("label"));
  REQUIRE(arguments.fault());
  CHECK(arguments.fault()->message == "unknown argument lable");
}

TEST_CASE("arguments: seconds are bounded and fractions count") {
  const Json object = {{"a", 0.25}, {"b", -1}, {"c", 1e300}, {"d", "5"}};
  CHECK(Arguments(object).seconds("a", 10) == 250);
  for (const char* name : {"b", "c", "d"}) {
    Arguments arguments(object);
    CHECK(arguments.seconds(name, 10) == 10'000);
    CHECK(arguments.fault());
  }
}

TEST_CASE("arguments: an instance id is twelve hex digits") {
  CHECK(instance_id(troupe::TerminalId{0xABC}) == "000000000abc");
  CHECK(parse_instance_id("000000000abc")->value == 0xABC);
  for (const char* text :
       {"", "abc", "00000000000g", "000000000000", "0000000000abc", "-00000000abc"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_instance_id(text));
  }
}

TEST_CASE("arguments: cursors are read in their three forms") {
  const Json object = Json::parse(R"({"a":{"seq":5,"col":3,"epoch":1},"b":"now","c":"oldest",
                                      "d":{"seq":-1,"col":0},"e":{"seq":1}})");
  Arguments arguments(object);
  const auto at = std::get<troupe::CursorAt>(*arguments.cursor("a"));
  CHECK(at.seq == 5);
  CHECK(at.col == 3);
  CHECK(at.epoch == 1U);
  CHECK(std::holds_alternative<troupe::CursorNow>(*arguments.cursor("b")));
  CHECK(std::holds_alternative<troupe::CursorOldest>(*arguments.cursor("c")));
  CHECK_FALSE(arguments.cursor("d"));
  CHECK_FALSE(arguments.cursor("e"));
}

TEST_CASE("arguments: a whole number may be written with a fraction of zero") {
  const Json object = Json::parse(R"({"cols":80.0,"at":{"seq":5.0,"col":0}})");
  Arguments arguments(object);
  CHECK(arguments.integer("cols", 1, 100) == 80);
  CHECK(std::get<troupe::CursorAt>(*arguments.cursor("at")).seq == 5);
  CHECK_FALSE(arguments.fault());
  for (const char* text : {R"({"n":1e300})", R"({"n":80.5})", R"({"n":101.0})"}) {
    const Json wrong = Json::parse(text);
    Arguments refused(wrong);
    CHECK_FALSE(refused.integer("n", 1, 100));
    CHECK(refused.fault());
  }
}

TEST_CASE("arguments: what is required is there and not null") {
  const Json object = {{"text", nullptr}, {"id", ""}};
  Arguments arguments(object);
  arguments.require(Json::array({"id"}));
  CHECK_FALSE(arguments.optional_text("text"));
  CHECK(arguments.text("id").empty());
  CHECK_FALSE(arguments.fault());
  arguments.require(Json::array({"id", "text"}));
  REQUIRE(arguments.fault());
  CHECK(arguments.fault()->message == "text is required");
}

TEST_CASE("arguments: a message names its terminal as the caller knows it") {
  using troupe::mcp::with_instance_id;
  CHECK(with_instance_id("terminal 1250999896491 not found") == "terminal 0123456789ab not found");
  for (const char* text : {"terminal", "terminal x", "the terminal 12", "terminal 999999999999999",
                           "terminal 99999999999999999999999 not found"}) {
    CAPTURE(text);
    CHECK(with_instance_id(text) == text);
  }
}
