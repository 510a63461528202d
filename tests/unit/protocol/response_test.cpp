// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "protocol/codec.hpp"
#include "protocol/limits.hpp"

using namespace troupe;
using namespace troupe::protocol;
using Json = nlohmann::ordered_json;

namespace {

TerminalInfo full_info() {
  TerminalInfo info;
  info.id = TerminalId{max_terminal_id};
  info.pid = 1;
  info.title = "t\xC3\xA9";
  info.user_title = "u";
  info.foreground_process = "vim";
  info.group_id = "g";
  info.command = {"a", "", "b c"};
  info.cwd = "/";
  info.cols = 65'535;
  info.rows = 1;
  info.lifecycle = Exited{137};
  info.output_head = 5;
  info.output_tail = UINT64_MAX;
  info.child_exit = ChildExit{137, "SIGKILL", {4, 5}};
  info.kind = TerminalKind::telnet;
  info.label = "l";
  info.profile = "p";
  info.is_protected = true;
  info.recording = "/r";
  info.last_recording = "/l";
  info.recording_error = "/l: No space left on device";
  info.shell_cwd = "/home";
  info.shell_cwd_source = CwdSource::osc7;
  info.controller = "c";
  info.subscribers = 3;
  info.created_ms = 1'796'038'698'984;
  return info;
}

CommandRecord full_record() {
  CommandRecord record;
  record.index = 9;
  record.command = "x \"y\"";
  record.command_source = CommandSource::screen;
  record.running = true;
  record.exit_code = -1;
  record.incomplete = true;
  record.evicted = true;
  record.pty_exited = true;
  record.start = {1, 2, 3};
  record.end = {4, 5, 6};
  record.start_offset = 7;
  record.end_offset = 8;
  record.started_ms = 9;
  record.ended_ms = 10;
  record.cwd = "/w";
  record.cwd_source = CwdSource::proc;
  return record;
}

reply::Error full_error() {
  reply::Error error(Error{Code::exited, "terminal exited"});
  error.written = 77;
  return error;
}

/// Every response, with optional keys both there and absent.
std::vector<Response> samples() {
  const TextSlice slice{"a\nb", {1, 2, 3}, {4, 5, 3}, true, true, true};
  const std::string bytes("\0\xff\x1b", 3);
  TerminalInfo failed = full_info();
  failed.lifecycle = Failed{"m"};
  return {reply::Pong{"i", 7, 7, {"rename", "x"}},
          reply::Owned{},
          reply::Handoff{"t", 5},
          reply::Created{TerminalInfo{}},
          reply::Created{full_info()},
          reply::Terminals{{full_info(), failed, TerminalInfo{}}, true},
          reply::Terminals{},
          reply::Ok{},
          reply::Ok{5, {1, 2}},
          full_error(),
          authentication_failed(),
          reply::Snapshot{full_info(), "text", bytes, 1, 2, true},
          reply::Rows{full_info(), {"", "x"}, 1, 2},
          reply::Replay{1, 2, 3, true, bytes},
          reply::Attached{full_info(), Role::controller, 1, 2, 3, 4, true, bytes},
          reply::Text{slice, true, WaitReason::needle, {}},
          reply::Text{slice, false, {}, full_record()},
          reply::Journal{1, 2, {full_record(), CommandRecord{}}, true},
          reply::Command{{}, true},
          reply::Command{full_record(), false},
          reply::CommandOutput{full_record(), false, slice},
          reply::CommandOutput{{}, true, slice},
          reply::History{{"a", "b"}, {1, 2, 3}, {4, 5, 6}, true, true},
          reply::Matches{{{{1, 2, 3}, {4, 5, 6}, "line"}}, {7, 8, 9}, true, true},
          reply::Exit{1, "SIGHUP", {3}, false},
          reply::Exit{{}, {}, {}, true},
          reply::Ledger{
              {{TerminalId{1}, "t", {"sh"}, TerminalKind::ssh, "closed", 1, "SIGTERM", 5}, {}}},
          reply::Recording{true, "/p", 5, {}},
          reply::Recording{false, "/p", 5, "/p: No space left on device"},
          reply::Recording{},
          reply::Status{"i", 1, "0.1.0", 2, true, 3, 4, 5, 6, 7, 8},
          reply::TerminalsChanged{UINT64_MAX, false},
          reply::TerminalsChanged{1, true},
          event::Resized{1, 2, 3, bytes, true},
          event::Resized{1, 2, 3, bytes},
          event::Exited{1, 2, "SIGINT", {3}},
          event::Exited{},
          event::ControllerChanged{"a", 1},
          event::ControllerChanged{},
          event::TitleChanged{"t"},
          event::ForegroundProcessChanged{"p"},
          event::ForegroundProcessChanged{},
          event::CommandStarted{full_record()},
          event::CommandFinished{full_record()},
          event::ChildExited{1, "SIGQUIT", {2}},
          event::Ended{EndReason::replaced, 9},
          event::Resync{1, 2, bytes, 2, full_info(), 5, true}};
}

}  // namespace

TEST_CASE("responses: every one reads back as it was written (P-9)") {
  std::vector<bool> seen(std::variant_size_v<Response>);
  for (const Response& response : samples()) {
    for (const auto& id : {std::optional<RequestId>{}, std::optional<RequestId>{RequestId{"x"}},
                           std::optional<RequestId>{RequestId{std::uint64_t{3}}}}) {
      const std::string payload = encode_response(response, id);
      CAPTURE(payload);
      REQUIRE(Json::accept(payload));
      const auto message = decode_response(payload);
      REQUIRE(message);
      CHECK(message->response.index() == response.index());
      CHECK(message->request_id == id);
      // The writer is checked against golden frames; equal text is equal content.
      CHECK(encode_response(message->response, id) == payload);
    }
    seen[response.index()] = true;
  }
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
    CAPTURE(i);
    CHECK(seen[i]);
  }
}

TEST_CASE("responses: every truncation is refused (P-6)") {
  for (const Response& response : samples()) {
    const std::string payload = encode_response(response);
    for (std::size_t length = 0; length < payload.size(); ++length) {
      REQUIRE_FALSE(decode_response(std::string_view(payload).substr(0, length)));
    }
  }
}

TEST_CASE("responses: a key of a wrong type is refused by name") {
  for (const Response& response : samples()) {
    const Json good = Json::parse(encode_response(response));
    for (const auto& [name, value] : good.items()) {
      if (name == "type" || name == "epoch" || name == "code") {
        continue;
      }
      Json bad = good;
      bad[name] = Json::object({{"k", 1.5}});
      CAPTURE(bad.dump());
      const auto message = decode_response(bad.dump());
      REQUIRE_FALSE(message);
      CHECK(message.error().message.find(name) != std::string::npos);
    }
  }
}

TEST_CASE("responses: a client understands a daemon of the first protocol 7") {
  const auto message = decode_response(
      R"({"type":"created","terminal":{"id":2165427925393329,"pid":8349,"title":"ti","foreground_process":null,"group_id":"g",)"
      R"("command":["/bin/sh","-c","printf hi; exec cat"],"cwd":"/tmp","cols":80,"rows":24,"lifecycle":{"status":"running"},)"
      R"("output_head":0,"output_tail":0}})");
  REQUIRE(message);
  const auto& info = std::get<reply::Created>(message->response).terminal;
  CHECK(info.id.value == 2'165'427'925'393'329);
  CHECK(info.command.size() == 3);
  CHECK_FALSE(info.user_title);
  CHECK(decode_response(R"({"type":"pong","instance_id":"i","pid":1,"protocol":7})"));
  CHECK(decode_response(R"({"type":"exited","exit_code":3,"final_offset":3})"));
  CHECK(decode_response(R"({"type":"error","message":"authentication failed"})"));
}

TEST_CASE("responses: unknown types and unknown keys are no faults") {
  const auto unknown = decode_response(R"({"type":"from_the_future","request_id":4,"a":[1,{}]})");
  REQUIRE(unknown);
  CHECK(std::get<reply::Unknown>(unknown->response).type == "from_the_future");
  CHECK(unknown->request_id == RequestId{std::uint64_t{4}});
  CHECK(decode_response(R"({"type":"ok","later":{"x":[1.5]}})"));
  const auto code = decode_response(R"({"type":"error","message":"m","code":"from_the_future"})");
  REQUIRE(code);
  CHECK(std::get<reply::Error>(code->response).code == Code::internal);
}

TEST_CASE("responses: what is no response is refused") {
  for (
      const char* text :
      {"", "[]", "{}", R"({"type":1})", R"({"type":""})", R"({"type":"created"})",
       R"({"type":"created","terminal":{}})", R"({"type":"ok","type":"ok"})",
       R"({"type":"ok","request_id":1.5})",
       R"({"type":"replay","requested_offset":0,"available_offset":0,"end_offset":0,"truncated":false,"data_base64":"x"})"}) {
    CAPTURE(text);
    CHECK_FALSE(decode_response(text));
  }
}

TEST_CASE("responses: a lifecycle that is not known is refused as protocol 7 clients do") {
  Json message = Json::parse(encode_response(reply::Created{full_info()}));
  for (const Json& lifecycle : {Json{{"status", "paused"}}, Json::object(), Json("running"),
                                Json{{"status", "exited"}}, Json{{"status", "failed"}}}) {
    message["terminal"]["lifecycle"] = lifecycle;
    CAPTURE(lifecycle.dump());
    CHECK_FALSE(decode_response(message.dump()));
  }
}

TEST_CASE("responses: text that is not UTF-8 is replaced and the frame stays JSON (P-5)") {
  const std::string payload = encode_response(event::TitleChanged{"a\xff\xe4\xb8z"});
  CHECK(payload == "{\"type\":\"title_changed\",\"title\":\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"}");
  CHECK(Json::accept(payload));
}

TEST_CASE("responses: a list beyond a frame has its long texts cut (P-20)") {
  reply::Terminals list;
  for (int i = 0; i < 400; ++i) {
    TerminalInfo info = full_info();
    info.id = TerminalId{static_cast<std::uint64_t>(i) + 1};
    info.command = {"/bin/sh", "-c", std::string(30'000, i % 2 == 0 ? 'x' : '"')};
    list.terminals.push_back(info);
  }
  const std::string payload = encode_response(list);
  CHECK(payload.size() <= max_frame_bytes);
  const auto message = decode_response(payload);
  REQUIRE(message);
  const auto& cut = std::get<reply::Terminals>(message->response);
  CHECK(cut.reduced);
  REQUIRE(cut.terminals.size() == 400);
  CHECK(cut.terminals[399].id == TerminalId{400});
  CHECK(cut.terminals[0].command[2] == std::string(1024, 'x') + "\xE2\x80\xA6");
}

TEST_CASE("responses: a snapshot beyond a frame loses its oldest rows (P-20)") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "row " + std::to_string(i) + " " + std::string(50, '"') + "\n";
  }
  text += "newest";
  const std::string payload =
      encode_response(reply::Snapshot{full_info(), text, std::string(3'000'000, 'c'), 0, 0});
  CHECK(payload.size() <= max_frame_bytes);
  const auto message = decode_response(payload);
  REQUIRE(message);
  const auto& snapshot = std::get<reply::Snapshot>(message->response);
  CHECK(snapshot.reduced);
  CHECK(snapshot.text.starts_with("row "));
  CHECK(snapshot.text.ends_with("\nnewest"));
  CHECK(snapshot.text.size() > 1'000'000);
  CHECK(snapshot.checkpoint.size() == 3'000'000);
}

TEST_CASE("responses: anything else beyond a frame becomes the error too_large (P-20)") {
  const RequestId id{std::uint64_t{8}};
  const std::string payload =
      encode_response(reply::Rows{full_info(), {std::string(max_frame_bytes, 'r')}, 0, 0}, id);
  const auto message = decode_response(payload);
  REQUIRE(message);
  CHECK(message->request_id == id);
  CHECK(std::get<reply::Error>(message->response).code == Code::too_large);
  const auto huge = decode_response(
      encode_response(reply::Snapshot{full_info(), "", std::string(7'000'000, 'c'), 0, 0}));
  REQUIRE(huge);
  CHECK(std::holds_alternative<reply::Error>(huge->response));
}
