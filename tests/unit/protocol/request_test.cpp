// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "protocol/codec.hpp"
#include "protocol/limits.hpp"

using namespace troupe;
using namespace troupe::protocol;
using Json = nlohmann::ordered_json;
using namespace std::string_literals;

namespace {

const std::string binary("\0\xff\x1b[A{\"", 8);

/// One or more of every operation, with every optional field both set and unset.
std::vector<Request> samples() {
  using namespace request;
  const TerminalId id{281'474'976'710'655};
  const CursorAt at{.seq = 12, .col = 80, .epoch = 3};
  Create plain{.program = "sh",
               .args = {"-c", "exec cat"},
               .cwd = "/",
               .title = "t",
               .group_id = "g",
               .env = {{"A", "b"}, {"\xC3\xA9\"", ""}},
               .cols = 1,
               .rows = 65'535};
  Create full = plain;
  full.drain_ms = 0;
  full.kind = TerminalKind::ssh;
  full.options = R"({"host":"h","port":22,"deep":{"a":[1,-2,null,true,"x"]}})";
  full.recording = RecordingTarget{"/tmp/r.jsonl"};
  full.redact = Redaction::all;
  full.is_protected = true;
  full.integrate = true;
  full.label = "label";
  full.profile = "";
  Create blank = full;
  blank.program = " ";
  blank.recording = RecordingTarget{};
  return {Ping{},
          Own{"abc", {}},
          Own{"abc", "ticket"},
          PrepareHandoff{},
          plain,
          full,
          blank,
          List{},
          Write{id, {}, binary},
          Write{id, "a", "", true},
          Resize{id, {}, 1, 2},
          Resize{id, "a", 80, 24},
          Control{id, "a", 80, 24},
          Input{id, "a", 80, 24, binary},
          Input{id, "a", 80, 24, binary, true},
          Snapshot{id, {}},
          Snapshot{id, 0},
          Snapshot{id, 2000},
          Snapshot{id, all_history_rows},
          ReadRows{id, {}},
          ReadRows{id, 65'535},
          Replay{TerminalId{0}, UINT64_MAX},
          Subscribe{id, 5, "a", Role::controller, true},
          Subscribe{id, 5, "a", Role::observer, false, true, true, true, all_history_rows, "/s"},
          Terminate{id},
          Terminate{id, true},
          Rename{id, {}},
          Rename{id, ""},
          Rename{id, "n"},
          Shutdown{},
          Cancel{RequestId{std::uint64_t{7}}},
          Cancel{RequestId{"x"}},
          Status{},
          protocol::request::Ledger{},
          Journal{id, {}, 20, true},
          Journal{id, {}, 0, false},
          Journal{id, 4, 7, false},
          Output{id, CommandLatest{}, {}, 0},
          Output{id, std::uint64_t{3}, at, 4096},
          JournalWait{id, CommandNext{}, 86'400'000},
          JournalWait{id, CommandLatest{}, 0},
          JournalWait{id, std::uint64_t{0}, 1},
          Run{id, {}, "ls\n", 1000, 0},
          Run{id, "a", "", 0, 9},
          Since{id, CursorNow{}, 0},
          Since{id, CursorOldest{}, 5},
          Since{id, at, 0},
          Since{id, CursorAt{1, 2, {}}, 0},
          Wait{id, CursorNow{}, {}, {}, {}, false, 5, 0},
          Wait{id, at, "needle", "re.*", 300, true, 5, 100},
          History{id, {}, {}},
          History{id, at, 50, HistoryFormat::ansi},
          Search{id, "p"},
          Search{id, "p", true, true, 10, CursorOldest{}},
          Keys{id, {}, {"ctrl+c"}},
          Keys{id, "a", {"a", "enter"}, true},
          Paste{id, {}, "text\xF0\x9F\x98\x80"},
          Paste{id, "a", "", true},
          Signal{id, 2},
          Signal{id, 40, SignalTarget::session},
          Restart{id},
          WaitExit{id, 10},
          Record{id, {}, {}},
          Record{id, RecordingChange{}, {}},
          Record{id, RecordingChange{RecordingTarget{}}, Redaction::off},
          Record{id, RecordingChange{RecordingTarget{"/p"}}, {}},
          TerminalsWait{},
          TerminalsWait{0, 0},
          TerminalsWait{UINT64_MAX, 1000}};
}

Incoming decode(const Json& value) {
  return decode_request(value.dump());
}

Json envelope(const Json& fields) {
  return {{"token", "t"}, {"request_id", 1}, {"request", fields}};
}

const Error* refusal(const Incoming& incoming) {
  const auto* refused = std::get_if<Refused>(&incoming.outcome);
  return refused == nullptr ? nullptr : &refused->error;
}

Json fields_of(const Request& request) {
  return Json::parse(encode_request("t", {}, request)).at("request");
}

}  // namespace

TEST_CASE("requests: every operation reads back as it was written (P-9)") {
  std::vector<bool> seen(std::variant_size_v<Request>);
  for (const Request& request : samples()) {
    for (const auto& id : {std::optional<RequestId>{}, std::optional<RequestId>{RequestId{"id-1"}},
                           std::optional<RequestId>{RequestId{max_request_id}}}) {
      const std::string payload = encode_request("token", id, request);
      CAPTURE(payload);
      const Incoming incoming = decode_request(payload);
      REQUIRE(std::holds_alternative<Request>(incoming.outcome));
      CHECK(std::get<Request>(incoming.outcome) == request);
      CHECK(incoming.token == "token");
      CHECK(incoming.request_id == id);
    }
    seen[request.index()] = true;
  }
  for (const bool one : seen) {
    CHECK(one);
  }
}

TEST_CASE("requests: every truncation of every operation is dropped (P-6)") {
  for (const Request& request : samples()) {
    const std::string payload = encode_request("t", RequestId{std::uint64_t{1}}, request);
    for (std::size_t length = 0; length < payload.size(); ++length) {
      const Incoming incoming = decode_request(std::string_view(payload).substr(0, length));
      REQUIRE(std::holds_alternative<Drop>(incoming.outcome));
    }
  }
}

TEST_CASE("requests: with a request id every field of a wrong type names itself (P-10)") {
  const std::vector<Json> wrong{Json(1.5), Json(-1), Json(Json::array({Json::array()})),
                                Json(Json::object({{"k", 1}}))};
  for (const Request& request : samples()) {
    const Json fields = fields_of(request);
    for (const auto& [name, value] : fields.items()) {
      if (name == "op") {
        continue;
      }
      for (const Json& bad : wrong) {
        Json changed = fields;
        if (name == "options" && bad.is_object()) {
          continue;
        }
        changed[name] = bad;
        CAPTURE(changed.dump());
        const Incoming incoming = decode(envelope(changed));
        const Error* error = refusal(incoming);
        REQUIRE(error != nullptr);
        CHECK(error->code == Code::bad_request);
        CHECK(error->message.find("'" + name + "'") != std::string::npos);
        CHECK(incoming.request_id == RequestId{std::uint64_t{1}});
      }
    }
  }
}

TEST_CASE("requests: a required field that is missing is named") {
  const std::vector<std::string> optional{
      "ticket",      "attachment_id", "drain_ms",   "kind",         "options",      "recording",
      "redact",      "protected",     "integrate",  "label",        "profile",      "ack",
      "rows",        "journal",       "resync",     "child_events", "history_rows", "ssh_auth_sock",
      "force",       "title",         "from_index", "limit",        "tail",         "cursor",
      "max_bytes",   "needle",        "regex",      "idle_ms",      "exit",         "format",
      "ignore_case", "target",        "revision"};
  for (const Request& request : samples()) {
    const Json fields = fields_of(request);
    if (fields.value("program", "sh") == " ") {
      continue;  // blank is right only beside its `kind`
    }
    for (const auto& [name, value] : fields.items()) {
      Json changed = fields;
      changed.erase(name);
      CAPTURE(changed.dump());
      const Incoming incoming = decode(envelope(changed));
      const Error* error = refusal(incoming);
      if (error == nullptr) {
        REQUIRE(std::holds_alternative<Request>(incoming.outcome));
        const bool longest_wait = name == "timeout_ms" && fields["op"] == "terminals_wait";
        CHECK((longest_wait || std::count(optional.begin(), optional.end(), name) == 1));
      } else {
        CHECK(error->code == Code::bad_request);
        CHECK(error->message.find("'" + name + "' is missing") != std::string::npos);
      }
    }
  }
}

TEST_CASE("requests: null stands for an absent optional field") {
  const Incoming incoming = decode(envelope({{"op", "write"},
                                             {"id", 1},
                                             {"attachment_id", nullptr},
                                             {"data_base64", "aGk="},
                                             {"ack", nullptr}}));
  REQUIRE(std::holds_alternative<Request>(incoming.outcome));
  CHECK(std::get<Request>(incoming.outcome) == Request(request::Write{TerminalId{1}, {}, "hi"}));
}

TEST_CASE("requests: unknown members are ignored whatever they hold") {
  Json message = envelope({{"op", "ping"}, {"future", {{"a", {1, nullptr}}}}});
  message["trace"] = Json::array({1.5, "x"});
  CHECK(std::holds_alternative<Request>(decode(message).outcome));
  const std::string huge = "{\"token\":\"t\",\"request\":{\"op\":\"ping\",\"x\":[" + [] {
    std::string many = "0";
    for (int i = 0; i < 1'000'000; ++i) {
      many += ",0";
    }
    return many;
  }() + "]}}";
  CHECK(std::holds_alternative<Request>(decode_request(huge).outcome));
}

TEST_CASE("requests: an unknown operation with a request id is unsupported (P-11)") {
  const Incoming incoming = decode(envelope({{"op", "no_such_operation"}}));
  REQUIRE(refusal(incoming) != nullptr);
  CHECK(refusal(incoming)->code == Code::unsupported);
  for (const Json& fields : {Json::object(), Json{{"op", 1}}, Json{{"op", nullptr}}}) {
    const Incoming bad = decode(envelope(fields));
    REQUIRE(refusal(bad) != nullptr);
    CHECK(refusal(bad)->code == Code::bad_request);
    CHECK(refusal(bad)->message.find("'op'") != std::string::npos);
  }
  Json no_request = envelope({});
  no_request.erase("request");
  REQUIRE(refusal(decode(no_request)) != nullptr);
  no_request["request"] = nullptr;
  CHECK(refusal(decode(no_request))->code == Code::bad_request);
}

TEST_CASE("requests: ids are integers up to 2^53 or texts and anything else closes (P-12)") {
  for (const char* id : {"0", "1", "9007199254740992", "\"\"", "\"x\""}) {
    CAPTURE(id);
    const Incoming incoming = decode_request(std::string("{\"token\":\"t\",\"request_id\":") + id +
                                             ",\"request\":{\"op\":\"ping\"}}");
    CHECK(std::holds_alternative<Request>(incoming.outcome));
    CHECK(incoming.request_id);
  }
  const std::string too_long = "\"" + std::string(max_request_id_bytes + 1, 'i') + "\"";
  for (const std::string& id :
       {std::string("9007199254740993"), std::string("-1"), std::string("1.0"), std::string("null"),
        std::string("true"), std::string("[]"), std::string("{}"), too_long}) {
    CAPTURE(id);
    const Incoming incoming =
        decode_request("{\"token\":\"t\",\"request_id\":" + id + ",\"request\":{\"op\":\"ping\"}}");
    const auto* refused = std::get_if<Refused>(&incoming.outcome);
    REQUIRE(refused != nullptr);
    CHECK(refused->error.code == Code::bad_request);
    CHECK(refused->after == AfterRefusal::close);
    CHECK_FALSE(incoming.request_id);
  }
}

TEST_CASE("requests: half a surrogate pair is refused where the id can be told (P-22)") {
  const auto with_title = [](const std::string& id, const std::string& title) {
    return decode_request("{\"token\":\"t\"," + id +
                          "\"request\":{\"op\":\"rename\",\"id\":1,\"title\":\"" + title + "\"}}");
  };
  for (const std::string& lone :
       {"\\ud83d"s, "\\uDE00"s, "\\ud83d\\ud83d\\ude00"s, "a\\\\\\ud83dx"s, "\\ud83d\\n"s}) {
    CAPTURE(lone);
    const Incoming answered = with_title("\"request_id\":2,", lone);
    REQUIRE(refusal(answered) != nullptr);
    CHECK(refusal(answered)->code == Code::bad_request);
    CHECK(answered.token == "t");
    CHECK(answered.request_id == RequestId{std::uint64_t{2}});
    CHECK(std::holds_alternative<Drop>(with_title("", lone).outcome));
    CHECK(std::holds_alternative<Drop>(with_title("\"request_id\":2,,", lone).outcome));
    const Incoming in_id = with_title("\"request_id\":\"" + lone + "\",", "");
    REQUIRE(refusal(in_id) != nullptr);
    CHECK(std::get<Refused>(in_id.outcome).after == AfterRefusal::close);
    CHECK_FALSE(in_id.request_id);
  }
  for (const std::string& whole : {"\\ud83d\\ude00"s, "\\\\ud83d"s, "\\ufffd"s}) {
    CHECK(std::holds_alternative<Request>(with_title("\"request_id\":2,", whole).outcome));
  }
}

TEST_CASE("requests: a token may be absent only with a request id") {
  const Incoming later = decode_request(R"({"request_id":2,"request":{"op":"list"}})");
  CHECK(std::holds_alternative<Request>(later.outcome));
  CHECK_FALSE(later.token);
  const Incoming wrong = decode_request(R"({"token":5,"request_id":2,"request":{"op":"list"}})");
  REQUIRE(refusal(wrong) != nullptr);
  CHECK(refusal(wrong)->message.find("'token'") != std::string::npos);
  CHECK(
      std::holds_alternative<Drop>(decode_request(R"({"request":{"op":"since","id":1}})").outcome));
}

TEST_CASE("requests: operations beyond protocol 7 answer faults also without a request id (P-10)") {
  const Incoming missing = decode_request(R"({"token":"t","request":{"op":"since","id":1}})");
  REQUIRE(refusal(missing) != nullptr);
  CHECK(refusal(missing)->message.find("'cursor'") != std::string::npos);
  const Incoming twice =
      decode_request(R"({"token":"t","request":{"op":"restart","id":1,"id":2}})");
  REQUIRE(refusal(twice) != nullptr);
  CHECK(refusal(twice)->message.find("'id'") != std::string::npos);
}

namespace {

Json create_in(const std::string& cwd) {
  return {{"op", "create"}, {"program", "sh"}, {"args", Json::array()}, {"cwd", cwd},
          {"title", ""},    {"group_id", ""},  {"env", Json::object()}, {"cols", 9},
          {"rows", 9}};
}

Json subscribe_with_agent(const std::string& path) {
  return {{"op", "subscribe"},  {"id", 1},           {"offset", 0},          {"attachment_id", "a"},
          {"role", "observer"}, {"takeover", false}, {"ssh_auth_sock", path}};
}

}  // namespace

TEST_CASE("requests: rules beyond the types of fields") {
  struct Case {
    Json fields;
    Code code;
    std::string text;
  };
  const std::string long_text(max_needle_bytes + 1, 'x');
  const std::vector<Case> cases{
      {{{"op", "journal"}, {"id", 1}, {"from_index", 3}, {"tail", true}},
       Code::bad_request,
       "tail"},
      {{{"op", "output"}, {"id", 1}, {"index", "next"}}, Code::bad_request, "index"},
      {{{"op", "wait"}, {"id", 1}, {"cursor", "now"}, {"needle", ""}, {"timeout_ms", 1}},
       Code::bad_request,
       "needle"},
      {{{"op", "wait"}, {"id", 1}, {"cursor", "now"}, {"needle", long_text}, {"timeout_ms", 1}},
       Code::too_large,
       "needle"},
      {{{"op", "wait"}, {"id", 1}, {"cursor", "now"}, {"regex", long_text}, {"timeout_ms", 1}},
       Code::too_large,
       "regex"},
      {{{"op", "wait"}, {"id", 1}, {"cursor", "now"}, {"timeout_ms", 86'400'001}},
       Code::bad_request,
       "timeout_ms"},
      {{{"op", "wait"}, {"id", 1}, {"cursor", "later"}, {"timeout_ms", 1}},
       Code::bad_request,
       "cursor"},
      {{{"op", "wait"}, {"id", 1}, {"cursor", {{"seq", 1}}}, {"timeout_ms", 1}},
       Code::bad_request,
       "cursor"},
      {{{"op", "history"}, {"id", 1}, {"rows", 0}}, Code::bad_request, "field 'rows'"},
      {{{"op", "search"}, {"id", 1}, {"pattern", ""}}, Code::bad_request, "pattern"},
      {{{"op", "search"}, {"id", 1}, {"pattern", long_text}}, Code::too_large, "pattern"},
      {{{"op", "keys"}, {"id", 1}, {"keys", Json::array()}}, Code::bad_request, "keys"},
      {{{"op", "keys"}, {"id", 1}, {"keys", std::vector<std::string>(max_keys + 1, "a")}},
       Code::too_large,
       "keys"},
      {{{"op", "paste"}, {"id", 1}, {"text", std::string(max_input_bytes + 1, 'p')}},
       Code::too_large,
       "text"},
      {{{"op", "run"},
        {"id", 1},
        {"text", std::string(max_input_bytes + 1, 'p')},
        {"timeout_ms", 1}},
       Code::too_large,
       "text"},
      {{{"op", "signal"}, {"id", 1}, {"signal", "SIGNONE"}}, Code::bad_request, "signal"},
      {{{"op", "signal"}, {"id", 1}, {"signal", 65}}, Code::bad_request, "signal"},
      {{{"op", "signal"}, {"id", 1}, {"signal", 0}}, Code::bad_request, "signal"},
      {{{"op", "rename"}, {"id", 1}, {"title", std::string(max_name_bytes + 1, 't')}},
       Code::too_large,
       "title"},
      {{{"op", "write"},
        {"id", 1},
        {"data_base64", base64_encode(std::string(max_input_bytes + 1, 'x'))}},
       Code::too_large,
       "input exceeds 1048576 byte limit"},
      {{{"op", "write"}, {"id", 1}, {"data_base64", "YQ"}},
       Code::bad_request,
       "invalid input base64: "},
      {{{"op", "resize"}, {"id", 1}, {"cols", 0}, {"rows", 1}},
       Code::bad_request,
       "terminal dimensions must be positive"},
      {{{"op", "subscribe"},
        {"id", 1},
        {"offset", 0},
        {"attachment_id", std::string(max_name_bytes + 1, 'a')},
        {"role", "observer"},
        {"takeover", false}},
       Code::too_large,
       "attachment_id"},
      {create_in(std::string(max_name_bytes, 'd') + "/"), Code::too_large, "cwd"},
      {subscribe_with_agent(""), Code::bad_request, "ssh_auth_sock"},
      {subscribe_with_agent("agent.1"), Code::bad_request, "ssh_auth_sock"},
      {subscribe_with_agent("/tmp/\0x"s), Code::bad_request, "ssh_auth_sock"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.fields.dump().substr(0, 200));
    const Incoming incoming = decode(envelope(one.fields));
    const Error* error = refusal(incoming);
    REQUIRE(error != nullptr);
    CHECK(to_text(error->code) == to_text(one.code));
    CHECK(error->message.find(one.text) != std::string::npos);
  }
}

TEST_CASE("requests: limits are inclusive") {
  const auto accepted = [](const Json& fields) {
    return std::holds_alternative<Request>(decode(envelope(fields)).outcome);
  };
  CHECK(accepted({{"op", "write"},
                  {"id", 1},
                  {"data_base64", base64_encode(std::string(max_input_bytes, 'x'))}}));
  CHECK(accepted({{"op", "wait"},
                  {"id", 1},
                  {"cursor", "now"},
                  {"needle", std::string(max_needle_bytes, 'x')},
                  {"timeout_ms", 86'400'000}}));
  CHECK(accepted({{"op", "paste"}, {"id", 1}, {"text", std::string(max_input_bytes, 'x')}}));
  CHECK(accepted({{"op", "journal"}, {"id", 1}, {"from_index", 0}, {"limit", 0}}));
  CHECK(accepted(create_in(std::string(max_name_bytes, 'd'))));
  CHECK(accepted(subscribe_with_agent("/" + std::string(max_name_bytes - 1, 'a'))));
}

TEST_CASE("requests: the journal's defaults depend on from_index") {
  const auto journal = [](const Json& fields) {
    const Incoming incoming = decode(envelope(fields));
    return std::get<request::Journal>(std::get<Request>(incoming.outcome));
  };
  CHECK(journal({{"op", "journal"}, {"id", 1}}) == request::Journal{TerminalId{1}, {}, 20, true});
  CHECK(journal({{"op", "journal"}, {"id", 1}, {"from_index", 5}}) ==
        request::Journal{TerminalId{1}, 5, 20, false});
  CHECK(journal({{"op", "journal"}, {"id", 1}, {"tail", false}, {"limit", 0}}) ==
        request::Journal{TerminalId{1}, {}, 0, false});
}

TEST_CASE("requests: a signal is read by name and by number") {
  for (const Json& signal : {Json("SIGINT"), Json("int"), Json(2), Json("2")}) {
    const Incoming incoming = decode(envelope({{"op", "signal"}, {"id", 1}, {"signal", signal}}));
    REQUIRE(std::holds_alternative<Request>(incoming.outcome));
    CHECK(std::get<request::Signal>(std::get<Request>(incoming.outcome)).signal == 2);
  }
}

TEST_CASE("requests: op_name and terminal_of know every operation") {
  CHECK(op_name(request::PrepareHandoff{}) == "prepare_handoff");
  CHECK(op_name(request::Record{}) == "record");
  CHECK(op_name(request::JournalWait{}) == "journal_wait");
  CHECK(terminal_of(request::Write{TerminalId{9}, {}, ""}) == TerminalId{9});
  CHECK_FALSE(terminal_of(request::List{}));
  CHECK_FALSE(terminal_of(request::Cancel{}));
}
