// SPDX-License-Identifier: MIT
// Frames as the published daemon sends them, with the keys that later versions add.
#include <doctest/doctest.h>

#include <string>

#include "protocol/codec.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe;
using namespace troupe::protocol;

namespace {

TerminalInfo demo() {
  TerminalInfo info;
  info.id = TerminalId{6'993'978'619'159'227};
  info.pid = 14'539;
  info.title = "demo";
  info.group_id = "ses_1";
  info.command = {"/bin/sh", "-c", "stty raw -echo; printf READY; exec cat"};
  info.cwd = "/tmp";
  info.cols = 20;
  info.rows = 4;
  info.output_tail = 5;
  return info;
}

/// What protocol 7 knows of `demo`, with `user_title`.
const std::string demo_keys =
    R"("id":6993978619159227,"pid":14539,"title":"demo","user_title":null,"foreground_process":null,)"
    R"("group_id":"ses_1","command":["/bin/sh","-c","stty raw -echo; printf READY; exec cat"],)"
    R"("cwd":"/tmp","cols":20,"rows":4,"lifecycle":{"status":"running"},"output_head":0,"output_tail":5)";
const std::string added_keys =
    R"(,"child_exit":null,"kind":"pty","label":null,"profile":null,"protected":false,"recording":null,"last_recording":null,)"
    R"("recording_error":null,)"
    R"("shell_cwd":null,"shell_cwd_source":null,"controller":null,"subscribers":0,"created_ms":0)";
const std::string demo_json = "{" + demo_keys + added_keys + "}";

}  // namespace

TEST_CASE("golden: a ping's frame is the client's, byte for byte") {
  const std::string payload = encode_request("9ecad320", {}, request::Ping{});
  CHECK(payload == R"({"token":"9ecad320","request":{"op":"ping"}})");
}

TEST_CASE("golden: replies of the published daemon (P-17)") {
  CHECK(control_frame(encode_response(reply::Ok{})) ==
        std::string("\0\0\0\x0d{\"type\":\"ok\"}", 17));
  CHECK(encode_response(reply::Owned{}) == R"({"type":"owned"})");
  CHECK(encode_response(reply::Pong{"33e7", 14'535, 7, {"rename"}}) ==
        R"({"type":"pong","instance_id":"33e7","pid":14535,"protocol":7,"features":["rename"]})");
  CHECK(
      encode_response(reply::Handoff{"d5f8bf56b71ecd90d16a788ed4776fda", 1'796'038'698'984}) ==
      R"({"type":"handoff","ticket":"d5f8bf56b71ecd90d16a788ed4776fda","expires_at":1796038698984})");
  CHECK(encode_response(reply::Created{demo()}) ==
        R"({"type":"created","terminal":)" + demo_json + "}");
  CHECK(encode_response(reply::Terminals{{demo()}}) ==
        R"({"type":"terminals","terminals":[)" + demo_json + "]}");
  CHECK(encode_response(reply::Terminals{}) == R"({"type":"terminals","terminals":[]})");
  CHECK(encode_response(reply::Snapshot{demo(), "READY\nz", "READY", 7, 1}) ==
        R"({"type":"snapshot","terminal":)" + demo_json +
            R"(,"text":"READY\nz","checkpoint_base64":"UkVBRFk=","cursor_x":7,"cursor_y":1})");
  CHECK(encode_response(reply::Rows{demo(), {"", ""}, 7, 1}) ==
        R"({"type":"rows","terminal":)" + demo_json +
            R"(,"lines":["",""],"cursor_x":7,"cursor_y":1})");
  CHECK(
      encode_response(reply::Replay{0, 0, 5, false, "READY"}) ==
      R"({"type":"replay","requested_offset":0,"available_offset":0,"end_offset":5,"truncated":false,"data_base64":"UkVBRFk="})");
  CHECK(
      encode_response(reply::Attached{demo(), Role::controller, 1, 0, 0, 5, false, "READY"}) ==
      R"({"type":"attached","terminal":)" + demo_json +
          R"(,"role":"controller","generation":1,"requested_offset":0,"available_offset":0,"end_offset":5,"truncated":false,"replay_base64":"UkVBRFk="})");
}

TEST_CASE("golden: events of the published daemon (P-17)") {
  CHECK(encode_response(event::ControllerChanged{"att-1", 1}) ==
        R"({"type":"controller_changed","attachment_id":"att-1","generation":1})");
  CHECK(encode_response(event::ControllerChanged{{}, 2}) ==
        R"({"type":"controller_changed","attachment_id":null,"generation":2})");
  CHECK(encode_response(event::Resized{30, 5, 1, "READY"}) ==
        R"({"type":"resized","cols":30,"rows":5,"generation":1,"checkpoint_base64":"UkVBRFk="})");
  CHECK(encode_response(event::TitleChanged{"T"}) == R"({"type":"title_changed","title":"T"})");
  CHECK(encode_response(event::ForegroundProcessChanged{"cat"}) ==
        R"({"type":"foreground_process_changed","process":"cat"})");
  CHECK(encode_response(event::ForegroundProcessChanged{}) ==
        R"({"type":"foreground_process_changed","process":null})");
  CHECK(encode_response(event::Exited{3, 3}) ==
        R"({"type":"exited","exit_code":3,"final_offset":3,"signal":null})");
  CHECK(encode_response(event::Exited{{}, 3, "SIGKILL", {4}}) ==
        R"({"type":"exited","exit_code":null,"final_offset":3,"signal":"SIGKILL","held_by":[4]})");
}

TEST_CASE("golden: errors carry a code except for a wrong token (P-18)") {
  CHECK(encode_response(authentication_failed()) ==
        R"({"type":"error","message":"authentication failed"})");
  CHECK(encode_response(reply::Error(Error{Code::not_found, "terminal 7 not found"})) ==
        R"({"type":"error","message":"terminal 7 not found","code":"not_found"})");
}

TEST_CASE("golden: a request id follows the type") {
  CHECK(encode_response(reply::Ok{}, RequestId{std::uint64_t{5}}) ==
        R"({"type":"ok","request_id":5})");
  CHECK(encode_response(event::Ended{EndReason::lagging, 12}, RequestId{"a\"b"}) ==
        R"({"type":"ended","request_id":"a\"b","reason":"lagging","offset":12})");
}

TEST_CASE("golden: lifecycles have protocol 7's keys and no others") {
  TerminalInfo info = demo();
  info.lifecycle = Exited{2};
  CHECK(encode_response(reply::Created{info})
            .find(R"("lifecycle":{"status":"exited","exit_code":2},)") != std::string::npos);
  info.lifecycle = Exited{};
  CHECK(encode_response(reply::Created{info})
            .find(R"("lifecycle":{"status":"exited","exit_code":null},)") != std::string::npos);
  info.lifecycle = Failed{"read: \xff"};
  CHECK(encode_response(reply::Created{info})
            .find("\"lifecycle\":{\"status\":\"failed\",\"message\":\"read: \xEF\xBF\xBD\"},") !=
        std::string::npos);
}

TEST_CASE("golden: text replies and records (P-19)") {
  CommandRecord record;
  record.index = 4;
  record.command = "ls";
  record.command_source = CommandSource::declared;
  record.trusted = true;
  record.exit_code = 0;
  record.start = {10, 2, 1};
  record.end = {12, 0, 1};
  record.start_offset = 100;
  record.end_offset = 140;
  record.started_ms = 1000;
  record.ended_ms = 1020;
  record.cwd = "/tmp";
  record.cwd_source = CwdSource::osc633;
  const std::string record_json =
      R"({"index":4,"command":"ls","command_source":"declared","trusted":true,"running":false,"exit_code":0,)"
      R"("incomplete":false,"evicted":false,"pty_exited":false,"start":{"seq":10,"col":2,"epoch":1},)"
      R"("end":{"seq":12,"col":0,"epoch":1},"start_offset":100,"end_offset":140,"started_ms":1000,)"
      R"("ended_ms":1020,"cwd":"/tmp","cwd_source":"633"})";
  CHECK(encode_response(event::CommandFinished{record}) ==
        R"({"type":"command_finished","record":)" + record_json + "}");
  const TextSlice slice{"a\n", {10, 2, 1}, {12, 0, 1}, true, false, false};
  const std::string slice_json =
      R"("text":"a\n","start":{"seq":10,"col":2,"epoch":1},"next":{"seq":12,"col":0,"epoch":1},"truncated":true,"evicted":false,"alt_screen":false)";
  CHECK(encode_response(reply::Text{slice, true, WaitReason::idle, {}}) ==
        R"({"type":"text",)" + slice_json + R"(,"matched":true,"reason":"idle","epoch":1})");
  CHECK(encode_response(reply::Text{slice, false, {}, record}) ==
        R"({"type":"text",)" + slice_json + R"(,"matched":false,"epoch":1,"record":)" +
            record_json + "}");
  CHECK(encode_response(reply::CommandOutput{{}, true, slice}) ==
        R"({"type":"command_output","record":null,"timed_out":true,)" + slice_json +
            R"(,"epoch":1})");
}
