// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "protocol/json_reader.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/limits.hpp"

using namespace troupe::protocol;

namespace {

constexpr JsonLimits generous{.depth = 128, .values = 100'000};

std::string escaped(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string again(std::string_view text) {
  const auto document = parse_json(text, generous);
  return document ? to_json(document->root) : "refused";
}

}  // namespace

TEST_CASE("json writer: strings are escaped as nlohmann escapes them (P-5)") {
  std::mt19937 random(11);  // NOLINT: reproducible
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 12, '\0');
    for (char& byte : text) {
      const auto pick = random() % 4;
      byte = static_cast<char>(pick == 0   ? random() % 0x20
                               : pick == 1 ? 0x80 + random() % 0x80
                                           : 0x20 + random() % 0x60);
    }
    const std::string wanted =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    REQUIRE(escaped(text) == wanted);
    REQUIRE(json_string_size(text) == wanted.size());
  }
}

TEST_CASE("json writer: all of Unicode stays raw") {
  for (char32_t point :
       {U'\u00e9', U'\u754c', U'\U0001F642', U'\uFFFD', U'\u0080', U'\U0010FFFF'}) {
    std::string text;
    if (point < 0x800) {
      text = {static_cast<char>(0xC0U | point >> 6U), static_cast<char>(0x80U | (point & 63U))};
    } else if (point < 0x10000) {
      text = {static_cast<char>(0xE0U | point >> 12U),
              static_cast<char>(0x80U | (point >> 6U & 63U)),
              static_cast<char>(0x80U | (point & 63U))};
    } else {
      text = {
          static_cast<char>(0xF0U | point >> 18U), static_cast<char>(0x80U | (point >> 12U & 63U)),
          static_cast<char>(0x80U | (point >> 6U & 63U)), static_cast<char>(0x80U | (point & 63U))};
    }
    CHECK(escaped(text) == "\"" + text + "\"");
  }
}

TEST_CASE("json reader: values keep their kinds and order") {
  const std::string text = R"({"z":1,"a":[true,false,null,-3,1.5,"x\n\u00e9"],"m":{}})";
  CHECK(again(text) == "{\"z\":1,\"a\":[true,false,null,-3,1.5,\"x\\n\xC3\xA9\"],\"m\":{}}");
  CHECK(again(" \t\r\n[1] \n") == "[1]");
  CHECK(again("18446744073709551615") == "18446744073709551615");
  const auto beyond = parse_json("18446744073709551616", generous);
  REQUIRE(beyond);
  CHECK(beyond->root.as<double>() != nullptr);
  const auto whole = parse_json("1.0", generous);
  REQUIRE(whole);
  CHECK(whole->root.as<std::uint64_t>() == nullptr);
}

TEST_CASE("json reader: what is not JSON is refused (P-6)") {
  using namespace std::string_literals;
  for (const std::string& text : {""s,
                                  " "s,
                                  "{"s,
                                  "}"s,
                                  "{}x"s,
                                  "{}{}"s,
                                  "\xEF\xBB\xBF{}"s,
                                  "{}\0"s,
                                  "{}\0garbage"s,
                                  "{\"a\":1,}"s,
                                  "{a:1}"s,
                                  "{'a':1}"s,
                                  "[1,]"s,
                                  "01"s,
                                  "1e999"s,
                                  "nan"s,
                                  "\"\xff\""s,
                                  "\"\xed\xa0\x80\""s,
                                  "\"\\ud800\""s,
                                  "\"\\x\""s,
                                  "\"a\nb\""s,
                                  "/* */{}"s,
                                  "{\"a\" 1}"s,
                                  "tru"s,
                                  "+1"s,
                                  "\x01"s}) {
    CAPTURE(text);
    CHECK_FALSE(parse_json(text, generous));
  }
}

TEST_CASE("json reader: long strings go around the lexer and nothing else changes (P-21)") {
  const auto reference = [](const std::string& text) {
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    return json.is_discarded() ? "refused" : json.dump();
  };
  const std::string plain(5000, 'b');
  const std::vector<std::string> parts{plain,
                                       std::string(4095, 'x'),
                                       plain + "\\n" + plain,
                                       plain + "\\\"" + plain,
                                       "\\\\",
                                       plain + "\\\\",
                                       plain + "\xC3\xA9",
                                       plain + "\xFF",
                                       plain + "\n",
                                       plain + "\\",
                                       "\"",
                                       "k",
                                       "",
                                       plain + "\x7F"};
  std::mt19937 random(3);  // NOLINT: reproducible
  const auto pick = [&] { return "\"" + parts[random() % parts.size()] + "\""; };
  for (int round = 0; round < 3000; ++round) {
    std::string text =
        "{" + pick() + ":" + pick() + ",\"z" + std::to_string(round) + "\":[" + pick();
    text += random() % 8 == 0 ? "]" : "," + pick() + "]}";
    if (random() % 16 == 0) {
      text[random() % text.size()] = "\"\\,:{}["[random() % 7];
    }
    REQUIRE(again(text) == reference(text));
  }
}

TEST_CASE("json reader: nesting is bounded without recursion (P-7)") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parse_json(nested(128), generous));
  CHECK_FALSE(parse_json(nested(129), generous));
  CHECK_FALSE(parse_json(nested(4'000'000), generous));
  CHECK_FALSE(parse_json(std::string(4'000'000, '['), generous));
}

TEST_CASE("json reader: stored values are bounded and skipped ones cost nothing") {
  std::string list = "[0";
  for (int i = 0; i < 20; ++i) {
    list += ",0";
  }
  list += "]";
  CHECK_FALSE(parse_json(list, {.depth = 4, .values = 21}));
  CHECK(parse_json(list, {.depth = 4, .values = 22}));
  const JsonLimits picky{
      .depth = 4, .values = 4, .keep = [](std::size_t depth, std::string_view key) {
        return depth != 1 || key == "a";
      }};
  const auto document =
      parse_json("{\"b\":" + list + ",\"a\":[1],\"c\":{\"a\":[]},\"b\":2}", picky);
  REQUIRE(document);
  CHECK(to_json(document->root) == R"({"a":[1]})");
  CHECK_FALSE(document->duplicate_key);
}

TEST_CASE("json reader: duplicate keys are found at the outermost depth") {
  const auto document = parse_json(R"({"a":{"x":1,"x":2},"b":1,"b":2})", generous);
  REQUIRE(document);
  CHECK(document->duplicate_key == "b");
  CHECK(document->duplicate_depth == 1);
  const auto inner = parse_json(R"({"a":{"x":1,"x":2},"b":{"y":1}})", generous);
  REQUIRE(inner);
  CHECK(inner->duplicate_key == "x");
  CHECK(inner->duplicate_depth == 2);
  std::string many = "{";
  for (int i = 0; i < 5000; ++i) {
    many += "\"k" + std::to_string(i) + "\":1,";
  }
  CHECK_FALSE(parse_json(many + "\"last\":1}", generous)->duplicate_key);
  CHECK(parse_json(many + "\"k77\":1}", generous)->duplicate_key == "k77");
}

TEST_CASE("rows cost: the published daemon's budget of blank rows (P-8)") {
  CHECK(rows_cost({}) == 2);
  CHECK(rows_cost({"", "ab", "\""}) == 2 + 27 + 29 + 29);
  CHECK(rows_cost(std::vector<std::string>(38'000)) <= rows_budget_bytes);
  CHECK(rows_cost(std::vector<std::string>(40'000)) > rows_budget_bytes);
}
