// SPDX-License-Identifier: MIT
// The rules of protocol 7 for envelopes without a request id: what is answered, what is dropped.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "protocol/codec.hpp"
#include "protocol/limits.hpp"

using namespace troupe;
using namespace troupe::protocol;
using Json = nlohmann::ordered_json;

namespace {

Incoming decode(const Json& fields) {
  return decode_request(Json{{"token", "t"}, {"request", fields}}.dump());
}

bool dropped(const Json& fields) {
  return std::holds_alternative<Drop>(decode(fields).outcome);
}
bool dropped_text(const std::string& payload) {
  return std::holds_alternative<Drop>(decode_request(payload).outcome);
}
bool accepted(const Json& fields) {
  return std::holds_alternative<Request>(decode(fields).outcome);
}

std::string message(const Json& fields) {
  const Incoming incoming = decode(fields);
  const auto* refused = std::get_if<Refused>(&incoming.outcome);
  CHECK(incoming.token == "t");
  return refused == nullptr ? "(not refused)" : refused->error.message;
}

const Json create{{"op", "create"}, {"program", "sh"}, {"args", Json::array()}, {"cwd", "/"},
                  {"title", ""},    {"group_id", ""},  {"env", Json::object()}, {"cols", 9},
                  {"rows", 9}};
const Json subscribe{{"op", "subscribe"},  {"id", 1},
                     {"offset", 0},        {"attachment_id", "a"},
                     {"role", "observer"}, {"takeover", false}};

Json with(Json fields, const std::string& name, const Json& value) {
  fields[name] = value;
  return fields;
}

}  // namespace

TEST_CASE("protocol 7: a token or request that is missing or null is dropped (P-13)") {
  CHECK(dropped_text(R"({"request":{"op":"ping"}})"));
  CHECK(dropped_text(R"({"token":null,"request":{"op":"ping"}})"));
  CHECK(dropped_text(R"({"token":1,"request":{"op":"ping"}})"));
  CHECK(dropped_text(R"({"token":"t"})"));
  CHECK(dropped_text(R"({"token":"t","request":null})"));
  CHECK(dropped_text(R"({"token":"t","request":[]})"));
  CHECK(dropped_text(R"({"token":"t","request":"ping"})"));
  CHECK(dropped_text(R"(["t",{"op":"ping"}])"));
  CHECK(dropped_text("null"));
}

TEST_CASE("protocol 7: an unknown or missing op is dropped (P-13)") {
  CHECK(dropped({{"op", "no_such_operation"}}));
  CHECK(dropped({{"op", "Ping"}}));
  CHECK(dropped({{"op", 1}}));
  CHECK(dropped({{"op", nullptr}}));
  CHECK(dropped(Json::object()));
}

TEST_CASE("protocol 7: an output frame or garbage is dropped") {
  CHECK(dropped_text(std::string("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1x", 18)));
  CHECK(dropped_text(""));
  CHECK(dropped_text("\xff\xfe"));
  CHECK(dropped_text("{\"token\":\"\xff\",\"request\":{\"op\":\"ping\"}}"));
}

TEST_CASE("protocol 7: a missing required field is dropped (P-13)") {
  for (const Json& fields :
       {create, subscribe, Json{{"op", "write"}, {"id", 1}, {"data_base64", ""}},
        Json{{"op", "resize"}, {"id", 1}, {"cols", 1}, {"rows", 1}},
        Json{{"op", "control"}, {"id", 1}, {"attachment_id", "a"}, {"cols", 1}, {"rows", 1}},
        Json{{"op", "input"},
             {"id", 1},
             {"attachment_id", "a"},
             {"cols", 1},
             {"rows", 1},
             {"data_base64", ""}},
        Json{{"op", "snapshot"}, {"id", 1}}, Json{{"op", "read_rows"}, {"id", 1}},
        Json{{"op", "replay"}, {"id", 1}, {"offset", 0}}, Json{{"op", "terminate"}, {"id", 1}},
        Json{{"op", "rename"}, {"id", 1}}, Json{{"op", "own"}, {"instance_id", "i"}}}) {
    CHECK(accepted(fields));
    for (const auto& [name, value] : fields.items()) {
      Json changed = fields;
      changed.erase(name);
      CAPTURE(changed.dump());
      CHECK(dropped(changed));
      CHECK(dropped(with(fields, name, nullptr)));
    }
  }
}

TEST_CASE("protocol 7: wrong types and numbers out of range are dropped (P-13)") {
  const auto big = Json::parse("18446744073709551616");
  for (const Json& bad :
       {Json(-1), Json("1"), Json(nullptr), big, Json(1.0), Json{1}, Json(true)}) {
    CAPTURE(bad.dump());
    CHECK(dropped({{"op", "snapshot"}, {"id", bad}}));
    CHECK(dropped({{"op", "replay"}, {"id", 1}, {"offset", bad}}));
  }
  for (const Json& bad : {Json(-1), Json(65'536), Json("80"), Json(nullptr), Json(80.0)}) {
    CAPTURE(bad.dump());
    CHECK(dropped({{"op", "resize"}, {"id", 1}, {"cols", bad}, {"rows", 24}}));
    CHECK(dropped({{"op", "resize"}, {"id", 1}, {"cols", 80}, {"rows", bad}}));
    CHECK(dropped(with(create, "cols", bad)));
  }
  for (const Json& bad : {Json(-1), Json(65'536), Json("3"), Json(1.0)}) {
    CHECK(dropped({{"op", "read_rows"}, {"id", 1}, {"rows", bad}}));
  }
  CHECK(dropped(with(subscribe, "role", "owner")));
  CHECK(dropped(with(subscribe, "takeover", "no")));
  CHECK(dropped(with(subscribe, "offset", -1)));
  CHECK(dropped(with(create, "args", "x")));
  CHECK(dropped(with(create, "args", Json::array({1}))));
  CHECK(dropped(with(create, "env", Json::array())));
  CHECK(dropped(with(create, "env", {{"A", 1}})));
  CHECK(dropped({{"op", "own"}, {"instance_id", "i"}, {"ticket", 5}}));
  CHECK(dropped({{"op", "rename"}, {"id", 1}, {"title", 5}}));
}

TEST_CASE("protocol 7: the whole range of ids and offsets is understood") {
  CHECK(accepted({{"op", "snapshot"}, {"id", 0}}));
  CHECK(accepted({{"op", "snapshot"}, {"id", UINT64_MAX}}));
  CHECK(accepted({{"op", "replay"}, {"id", 1}, {"offset", UINT64_MAX}}));
  CHECK(accepted({{"op", "own"}, {"instance_id", "i"}, {"ticket", nullptr}}));
  CHECK(accepted({{"op", "read_rows"}, {"id", 1}, {"rows", nullptr}}));
}

TEST_CASE("protocol 7: duplicate keys are dropped (P-14)") {
  CHECK(dropped_text(R"({"token":"t","token":"t","request":{"op":"ping"}})"));
  CHECK(dropped_text(R"({"token":"t","request":{"op":"ping"},"request":{"op":"ping"}})"));
  CHECK(dropped_text(R"({"token":"t","request":{"op":"ping","op":"ping"}})"));
  CHECK(dropped_text(R"({"token":"t","request":{"op":"snapshot","id":1,"id":1}})"));
}

TEST_CASE("protocol 7: dimensions that are zero are answered (P-15)") {
  const std::string text = "terminal dimensions must be positive";
  for (const auto& [cols, rows] : {std::pair{0, 24}, std::pair{80, 0}, std::pair{0, 0}}) {
    CHECK(message(with(with(create, "cols", cols), "rows", rows)) == text);
    CHECK(message({{"op", "resize"}, {"id", 1}, {"cols", cols}, {"rows", rows}}) == text);
    CHECK(message({{"op", "control"},
                   {"id", 1},
                   {"attachment_id", "a"},
                   {"cols", cols},
                   {"rows", rows}}) == text);
    CHECK(message({{"op", "input"},
                   {"id", 1},
                   {"attachment_id", "a"},
                   {"cols", cols},
                   {"rows", rows},
                   {"data_base64", ""}}) == text);
  }
  CHECK(message({{"op", "read_rows"}, {"id", 1}, {"rows", 0}}) == "row count must be positive");
}

TEST_CASE("protocol 7: a blank program is answered") {
  for (const char* program : {"", "  ", "\t\n"}) {
    CHECK(message(with(create, "program", program)) == "terminal program cannot be empty");
  }
}

TEST_CASE("protocol 7: input that is no standard base64 is answered (P-15)") {
  for (const char* text :
       {"!!!!", "YQ", "_-8=", "YQ==\n", "YQ=", "YR==", "Y Q=", "====", "YQ==YQ=="}) {
    CAPTURE(text);
    CHECK(message({{"op", "write"}, {"id", 1}, {"data_base64", text}})
              .starts_with("invalid input base64: "));
    CHECK(message({{"op", "input"},
                   {"id", 1},
                   {"attachment_id", "a"},
                   {"cols", 80},
                   {"rows", 24},
                   {"data_base64", text}})
              .starts_with("invalid input base64: "));
  }
}

TEST_CASE("protocol 7: input beyond 1 MiB is answered and 1 MiB is taken") {
  const Json limit{{"op", "write"},
                   {"id", 1},
                   {"data_base64", base64_encode(std::string(max_input_bytes, 'x'))}};
  CHECK(accepted(limit));
  for (const std::size_t beyond : {1U, 2U, 3U, 100'000U}) {
    CHECK(message(with(limit, "data_base64",
                       base64_encode(std::string(max_input_bytes + beyond, 'x')))) ==
          "input exceeds 1048576 byte limit");
  }
}

TEST_CASE("protocol 7: a subscribe is accepted or dropped and never answered (P-16)") {
  CHECK(accepted(subscribe));
  CHECK(dropped(with(subscribe, "attachment_id", std::string(max_name_bytes + 1, 'a'))));
  CHECK(dropped(with(subscribe, "journal", 1)));
}

TEST_CASE("protocol 7: a fault of an added field is answered and names it") {
  CHECK(message(with(create, "kind", "serial")).find("'kind'") != std::string::npos);
  CHECK(message(with(create, "drain_ms", -1)).find("'drain_ms'") != std::string::npos);
  CHECK(message({{"op", "snapshot"}, {"id", 1}, {"history_rows", "many"}}).find("'history_rows'") !=
        std::string::npos);
  CHECK(dropped(with(with(create, "kind", "serial"), "cols", -1)));
}

TEST_CASE("protocol 7: deep nesting is dropped (P-7)") {
  const auto nested = [](std::size_t depth) {
    return R"({"token":"t","request":{"op":"ping"},"x":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  CHECK_FALSE(dropped_text(nested(100)));
  CHECK(dropped_text(nested(200)));
  CHECK(dropped_text(nested(200'000)));
}

TEST_CASE("protocol 7: white space after the object is taken and other bytes are not") {
  const std::string ping = R"({"token":"t","request":{"op":"ping"}})";
  CHECK_FALSE(dropped_text(ping + "  \n\t\r"));
  CHECK_FALSE(dropped_text(" " + ping));
  CHECK(dropped_text(ping + "x"));
  CHECK(dropped_text(ping + std::string(1, '\0')));
  CHECK(dropped_text(ping + ping));
  CHECK_FALSE(dropped_text(ping + std::string(max_frame_bytes - ping.size(), ' ')));
}

TEST_CASE("protocol 7: a wrong token is handed to the session with the request or its fault") {
  const Incoming good = decode_request(R"({"token":"","request":{"op":"ping"}})");
  CHECK(good.token == "");
  CHECK(std::holds_alternative<Request>(good.outcome));
  const Incoming bad =
      decode_request(R"({"token":"no","request":{"op":"write","id":1,"data_base64":"x"}})");
  CHECK(bad.token == "no");
  CHECK(std::holds_alternative<Refused>(bad.outcome));
}
