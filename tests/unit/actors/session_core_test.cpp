// SPDX-License-Identifier: MIT
#include "actors/session_core.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

#include "protocol/frame_encoder.hpp"

using namespace troupe;
using namespace troupe::actors;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

struct Connection final : ConnectionPort {
  void send(transport::Lane lane, transport::OutFrame frame) override {
    sent.push_back({lane, std::string{frame.payload.view()}});
    prefix = frame.header.view();
  }
  void consumed(std::size_t bytes) override { credit += bytes; }
  void expect_silence() override { silent = true; }
  void finish() override { finished = true; }
  void close() override { closed = true; }
  struct Sent {
    transport::Lane lane;
    std::string payload;
  };
  std::vector<Sent> sent;
  std::string prefix;
  std::size_t credit = 0;
  bool silent = false;
  bool finished = false;
  bool closed = false;
};

struct World final : ServicePort {
  RequestKey fresh_key() override { return ++last_key; }
  bool to_terminal(TerminalId id, RequestKey key, SubscriberId, SubscriberId replaces,
                   protocol::Request r) override {
    asked.push_back(std::string{protocol::op_name(r)} + " " + std::to_string(key) +
                    (replaces != 0 ? " replaces " + std::to_string(replaces) : ""));
    return id.value == 7;
  }
  void to_registry(RequestKey key, OwnerManners manners, protocol::Request r) override {
    asked.push_back(std::string{protocol::op_name(r)} + " " + std::to_string(key) +
                    (manners == OwnerManners::yes ? " as owner" : ""));
  }
  void list(RequestKey key) override { asked.push_back("list " + std::to_string(key)); }
  reply::Status status() override {
    reply::Status status;
    status.terminals = 3;
    return status;
  }
  void acknowledge(TerminalId, SubscriberId subscriber, std::size_t bytes) override {
    asked.push_back("ack " + std::to_string(subscriber) + " " + std::to_string(bytes));
  }
  void detach(TerminalId, SubscriberId s) override {
    asked.push_back("detach " + std::to_string(s));
  }
  void cancel(std::optional<TerminalId> id, RequestKey key) override {
    asked.push_back((id ? "cancel " : "cancel at the registry ") + std::to_string(key));
  }
  void owner_lost() override { asked.push_back("owner lost"); }
  std::string not_found_text(TerminalId) override { return "terminal not found"; }
  std::vector<std::string> asked;
  RequestKey last_key = 0;
};

struct Session {
  ServiceIdentity identity{"me", "secret", 42, {"rename"}};
  Connection connection;
  World world;
  SessionCore core{identity, connection, world};

  void send(const std::string& json) { core.on_frame(json); }
  void one(const std::string& request) { send(R"({"token":"secret","request":)" + request + "}"); }
  void many(const std::string& id, const std::string& request) {
    send(R"({"token":"secret","request_id":)" + id + R"(,"request":)" + request + "}");
  }
  [[nodiscard]] std::string last() const {
    return connection.sent.empty() ? "" : connection.sent.back().payload;
  }
};

constexpr auto subscribe7 =
    R"({"op":"subscribe","id":7,"offset":0,"attachment_id":"a","role":"observer","takeover":false})";

}  // namespace

TEST_CASE("session: nothing is executed before the right token") {  // A-50
  Session s;
  s.send(R"({"token":"wrong","request":{"op":"shutdown"}})");
  CHECK(s.last() == R"({"type":"error","message":"authentication failed"})");
  CHECK(s.connection.finished);
  CHECK(s.world.asked.empty());
}

TEST_CASE("session: an ordinary connection serves one request") {  // A-51
  Session s;
  s.one(R"({"op":"ping"})");
  CHECK(s.last().find(R"("type":"pong","instance_id":"me","pid":42,"protocol":7)") !=
        std::string::npos);
  CHECK(s.connection.finished);
  s.one(R"({"op":"list"})");
  CHECK(s.world.asked.empty());
}

TEST_CASE("session: status asks nobody and tells who the daemon is") {
  Session s;
  s.one(R"({"op":"status"})");
  CHECK(s.last().find(R"("type":"status","instance_id":"me","pid":42)") != std::string::npos);
  CHECK(s.last().find(R"("terminals":3)") != std::string::npos);
  CHECK(s.world.asked.empty());
}

TEST_CASE("session: what cannot be parsed is dropped without an answer") {  // A-52
  for (const auto* const text : {"{", "[]", R"({"token":"secret","request":{"op":"nope"}})",
                                 R"({"token":"secret","request":{"op":"snapshot","id":"1"}})"}) {
    Session s;
    s.send(text);
    CHECK(s.connection.closed);
    CHECK(s.connection.sent.empty());
  }
}

TEST_CASE("session: errors of old operations are bare and of new ones carry a code") {  // A-53
  Session old;
  old.one(R"({"op":"snapshot","id":8})");
  CHECK(old.last() == R"({"type":"error","message":"terminal not found"})");
  Session fresh;
  fresh.one(R"({"op":"since","id":8,"cursor":"now"})");
  CHECK(fresh.last().find(R"("code":"not_found")") != std::string::npos);
  Session many;
  many.many("1", R"({"op":"snapshot","id":8})");
  CHECK(many.last().find(R"("code":"not_found")") != std::string::npos);
  CHECK_FALSE(many.connection.finished);
}

TEST_CASE("session: many requests are in flight at once and answered by their ids") {  // A-54
  Session s;
  s.many("1", R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
  s.send(R"({"request_id":"b","request":{"op":"list"}})");
  CHECK(s.world.asked == std::vector<std::string>{"wait_exit 1", "list 2"});
  s.core.on_reply(2, reply::Terminals{});
  CHECK(s.last().find(R"("request_id":"b")") != std::string::npos);
  s.many("1", R"({"op":"ping"})");
  CHECK(s.last().find(R"("code":"bad_request")") != std::string::npos);
  s.core.on_reply(1, reply::Exit{});
  CHECK(s.last().find(R"("type":"exit")") != std::string::npos);
  s.many("1", R"({"op":"ping"})");
  CHECK(s.last().find(R"("type":"pong")") != std::string::npos);
}

TEST_CASE("session: an envelope without an id on a multiplexed connection closes it") {
  Session s;
  s.many("1", R"({"op":"ping"})");
  s.one(R"({"op":"ping"})");
  CHECK(s.last().find(R"("code":"bad_request")") != std::string::npos);
  CHECK(s.connection.finished);
}

TEST_CASE("session: read credit comes back with the answer but at once for a wait") {  // A-55
  Session s;
  s.many("1", R"({"op":"snapshot","id":7})");
  CHECK(s.connection.credit == 0);
  s.core.on_reply(1, reply::Snapshot{});
  CHECK(s.connection.credit > 0);
  std::size_t const before = s.connection.credit;
  s.many("2", R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
  CHECK(s.connection.credit > before);
}

TEST_CASE("session: a refused subscription of old manners is dropped") {
  Session s;
  s.one(subscribe7);
  s.core.on_reply(1, reply::Error{Error{Code::busy, "terminal already has a controller"}});
  CHECK(s.connection.closed);
  CHECK(s.connection.sent.empty());
}

TEST_CASE("session: output goes in its subscription's lane with the right tag") {  // A-56
  Session old;
  old.one(subscribe7);
  old.core.on_reply(1, reply::Attached{});
  old.core.on_output(1, {5, SharedBytes{"hi"}});
  CHECK(old.connection.silent);
  CHECK(old.connection.sent.back().lane == 1);
  CHECK(old.connection.prefix.at(4) == protocol::output_tag);
  Session many;
  many.many("9", subscribe7);
  many.core.on_reply(1, reply::Attached{});
  many.core.on_output(1, {5, SharedBytes{"hi"}});
  CHECK(many.connection.prefix.at(4) == protocol::mux_output_tag);
}

TEST_CASE("session: windows are given back in parts") {
  Session s;
  s.many("9", subscribe7);
  s.core.on_reply(1, reply::Attached{});
  s.world.asked.clear();
  s.core.on_written({{1, 1000}});
  CHECK(s.world.asked.empty());
  s.core.on_written({{1, 64 * 1024}});
  CHECK(s.world.asked == std::vector<std::string>{"ack 1 " + std::to_string(1000 + 64 * 1024)});
}

TEST_CASE("session: cancel ends a wait and a subscription") {  // A-57
  Session s;
  s.many("1", R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
  s.many("2", subscribe7);
  s.core.on_reply(2, reply::Attached{});
  s.many("3", R"({"op":"cancel","target":1})");
  s.many("4", R"({"op":"cancel","target":2})");
  s.many("5", R"({"op":"cancel","target":2})");
  const auto& sent = s.connection.sent;
  REQUIRE(sent.size() == 6);
  CHECK(sent[1].payload.find(R"("code":"cancelled")") != std::string::npos);
  CHECK(sent[2].payload.find(R"("type":"ok")") != std::string::npos);
  CHECK(sent[3].payload.find(R"("reason":"cancelled")") != std::string::npos);
  CHECK(sent[5].payload.find(R"("code":"not_found")") != std::string::npos);
}

TEST_CASE("session: a wait for another list is cancelled at the registry") {  // A-70
  Session s;
  s.many("1", R"({"op":"terminals_wait","revision":1})");
  s.many("2", R"({"op":"terminals_wait","revision":1,"timeout_ms":5})");
  s.many("3", R"({"op":"cancel","target":1})");
  s.core.on_end(transport::StreamEnd::closed);
  CHECK(s.world.asked == std::vector<std::string>{"terminals_wait 1", "terminals_wait 2",
                                                  "cancel at the registry 1",
                                                  "cancel at the registry 2"});
  REQUIRE(s.connection.sent.size() == 2);
  CHECK(s.connection.sent[0].payload.find(R"("code":"cancelled")") != std::string::npos);
}

TEST_CASE("session: input that waits for its program can be cancelled") {  // A-57
  Session s;
  s.many("1", R"({"op":"write","id":7,"data_base64":"aGk=","ack":true})");
  s.many("2", R"({"op":"write","id":7,"data_base64":"aGk="})");
  s.many("3", R"({"op":"cancel","target":2})");
  CHECK(s.last().find(R"("code":"not_found")") != std::string::npos);
  s.many("4", R"({"op":"cancel","target":1})");
  CHECK(s.world.asked.back() == "cancel 1");
  const auto& sent = s.connection.sent;
  REQUIRE(sent.size() == 3);
  CHECK(sent[1].payload.find(R"("request_id":1,"message":"the request was cancelled")") !=
        std::string::npos);
  CHECK(s.last().find(R"("type":"ok","request_id":4)") != std::string::npos);
}

TEST_CASE("session: what follows a terminate or a restart waits for its answer") {  // A-69
  using Asked = std::vector<std::string>;
  Session s;
  SUBCASE("terminate") {
    s.many("1", R"({"op":"terminate","id":7})");
    s.many("2", R"({"op":"write","id":7,"data_base64":"aGk="})");
    s.many("3", R"({"op":"terminate","id":7,"force":true})");
    s.many("4", R"({"op":"snapshot","id":7})");
    s.many("5", R"({"op":"write","id":8,"data_base64":"aGk="})");
    CHECK(s.world.asked == Asked{"terminate 1", "write 5"});
    s.core.on_reply(1, reply::Error{Error{Code::busy, "protected"}});
    CHECK(s.world.asked == Asked{"terminate 1", "write 5", "write 2", "terminate 3"});
    s.core.on_reply(3, reply::Ok{});
    CHECK(s.world.asked.back() == "snapshot 4");
  }
  SUBCASE("restart") {
    s.many("1", R"({"op":"restart","id":7})");
    s.many("2", R"({"op":"keys","id":7,"keys":["a"]})");
    s.many("3", R"({"op":"restart","id":7})");
    s.many("4", R"({"op":"keys","id":7,"keys":["b"]})");
    CHECK(s.world.asked == Asked{"restart 1"});
    s.core.on_reply(1, reply::Ok{});
    CHECK(s.world.asked == Asked{"restart 1", "keys 2", "restart 3"});
    s.core.on_reply(3, reply::Error{Error{Code::busy, "runs"}});
    CHECK(s.world.asked.back() == "keys 4");
  }
  SUBCASE("a terminate does not wait for a restart") {
    s.many("1", R"({"op":"restart","id":7})");
    s.many("2", R"({"op":"snapshot","id":7})");
    s.many("3", R"({"op":"terminate","id":7})");
    CHECK(s.world.asked == Asked{"restart 1", "terminate 3"});
    s.core.on_reply(1, reply::Error{Error{Code::exited, "terminated"}});
    CHECK(s.world.asked.size() == 2);
    s.core.on_reply(3, reply::Ok{});
    CHECK(s.world.asked.back() == "snapshot 2");
  }
  SUBCASE("what is cancelled meanwhile is not executed") {
    s.many("1", R"({"op":"restart","id":7})");
    s.many("2", R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
    s.many("3", subscribe7);
    s.many("4", R"({"op":"cancel","target":2})");
    s.many("5", R"({"op":"cancel","target":3})");
    CHECK(s.connection.sent.size() == 4);
    s.core.on_reply(1, reply::Ok{});
    CHECK(s.world.asked == Asked{"restart 1", "cancel 2"});
  }
  SUBCASE("what waits keeps its read credit") {
    s.many("1", R"({"op":"restart","id":7})");
    s.many("2", R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
    CHECK(s.connection.credit == 0);
    s.core.on_reply(1, reply::Ok{});
    CHECK(s.connection.credit > 0);
  }
}

TEST_CASE("session: a first envelope with a bad id is told so if it has the token") {  // A-50
  Session right;
  right.send(R"({"token":"secret","request_id":1.5,"request":{"op":"ping"}})");
  CHECK(right.last().find(R"("code":"bad_request")") != std::string::npos);
  CHECK(right.connection.finished);
  for (const auto* const text : {R"({"token":"x","request_id":1.5,"request":{"op":"ping"}})",
                                 R"({"request_id":1.5,"request":{"op":"ping"}})"}) {
    Session wrong;
    wrong.send(text);
    CHECK(wrong.last() == R"({"type":"error","message":"authentication failed"})");
    CHECK(wrong.connection.finished);
  }
  Session number;
  number.send(R"({"token":5,"request_id":1,"request":{"op":"nope"}})");
  CHECK(number.last().find("'token'") != std::string::npos);
  CHECK(number.last().find(R"("code":"bad_request")") != std::string::npos);
  CHECK(number.connection.finished);
}

TEST_CASE("session: half a character costs its request and not the connection") {
  Session s;
  s.many("1", R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
  s.many("2", R"({"op":"rename","id":7,"title":"\ud83d"})");
  CHECK(s.last().find(R"("request_id":2)") != std::string::npos);
  CHECK(s.last().find(R"("code":"bad_request")") != std::string::npos);
  CHECK_FALSE(s.core.over());
  Session old;
  old.one(R"({"op":"rename","id":7,"title":"\ud83d"})");
  CHECK(old.connection.closed);
  CHECK(old.connection.sent.empty());
}

TEST_CASE("session: a byte or a half close ends a stream of old manners") {
  Session s;
  s.one(subscribe7);
  s.core.on_reply(1, reply::Attached{});
  SUBCASE("half close") {
    s.core.on_end(transport::StreamEnd::half_closed);
  }
  SUBCASE("a frame") {
    s.send("x");
  }
  CHECK(s.connection.closed);
  CHECK(s.world.asked.back() == "detach 1");
}

TEST_CASE("session: a half closed client still gets the answer it waits for") {
  Session s;
  s.one(R"({"op":"snapshot","id":7})");
  s.core.on_end(transport::StreamEnd::half_closed);
  CHECK_FALSE(s.connection.closed);
  s.core.on_reply(1, reply::Snapshot{});
  CHECK(s.connection.finished);
}

TEST_CASE("session: a client that is gone cancels what blocks") {
  Session s;
  s.one(R"({"op":"wait_exit","id":7,"timeout_ms":1000})");
  s.core.on_end(transport::StreamEnd::closed);
  CHECK(s.world.asked.back() == "cancel 1");
  CHECK(s.core.over());
}

TEST_CASE("session: the owner connection stays and takes only ownership requests") {  // A-58
  Session s;
  s.one(R"({"op":"own","instance_id":"me"})");
  s.core.on_reply(1, reply::Owned{});
  CHECK_FALSE(s.connection.finished);
  s.one(R"({"op":"list"})");
  CHECK(s.last().find("owner connection only accepts") != std::string::npos);
  s.send(R"({"token":"x","request":{"op":"shutdown"}})");
  CHECK(s.last().find("authentication failed") != std::string::npos);
  CHECK_FALSE(s.connection.finished);
  s.one(R"({"op":"prepare_handoff"})");
  CHECK(s.world.asked.back() == "prepare_handoff 2 as owner");
  SUBCASE("superseded") {
    s.core.on_superseded();
    s.one(R"({"op":"shutdown"})");
    CHECK(s.last() == R"({"type":"error","message":"owner connection has been superseded"})");
    CHECK(s.connection.finished);
  }
  SUBCASE("garbage is owner loss") {
    s.send("{");
    CHECK(s.connection.closed);
    CHECK(s.world.asked.back() == "owner lost");
  }
}
