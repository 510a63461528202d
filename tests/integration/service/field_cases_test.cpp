// SPDX-License-Identifier: MIT
// Reported faults of other terminal daemons, replayed on this one. docs/field-cases.md lists all.
#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client.hpp"
#include "daemon_process.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
namespace event = protocol::event;

namespace {

std::string numbers(int first, int last) {
  std::string out;
  for (int n = first; n <= last; ++n) {
    out += std::to_string(n) + "\r\n";
  }
  return out;
}

reply::Attached subscribe(Client& client, TerminalId id, const std::string& name,
                          protocol::Role role = protocol::Role::observer, StreamOffset offset = 0) {
  request::Subscribe subscribe;
  subscribe.id = id;
  subscribe.attachment_id = name;
  subscribe.role = role;
  subscribe.offset = offset;
  client.send(subscribe);
  return std::get<reply::Attached>(client.read_message().response);
}

protocol::Response write(const DaemonProcess& daemon, TerminalId id, std::string data,
                         std::optional<std::string> attachment = {}) {
  request::Write write;
  write.id = id;
  write.attachment_id = std::move(attachment);
  write.data = std::move(data);
  return ask(daemon, write);
}

bool is_ok(const protocol::Response& response) {
  return std::holds_alternative<reply::Ok>(response);
}

protocol::TerminalInfo info_of(const DaemonProcess& daemon, TerminalId id) {
  for (const auto& info : ask_for<reply::Terminals>(daemon, request::List{}).terminals) {
    if (info.id == id) {
      return info;
    }
  }
  FAIL("the terminal is not listed");
  return {};
}

bool exits(const DaemonProcess& daemon, TerminalId id) {
  return wait_until(
      [&] { return std::holds_alternative<protocol::Exited>(info_of(daemon, id).lifecycle); });
}

std::vector<std::string> rows_of(const DaemonProcess& daemon, TerminalId id, std::uint16_t count) {
  std::vector<std::string> rows;
  for (auto& line : ask_for<reply::Rows>(daemon, request::ReadRows{id, count}).lines) {
    if (!line.empty()) {
      rows.push_back(std::move(line));
    }
  }
  return rows;
}

/// Why a request is refused.
std::string refusal(const DaemonProcess& daemon, const protocol::Request& request) {
  return ask_for<reply::Error>(daemon, request).message;
}

/// Reads on until the event comes; output in between is dropped.
template <class Event>
Event read_event(Client& client) {
  for (;;) {
    const auto payload = client.read();
    REQUIRE(payload);
    if (protocol::is_output(*payload)) {
      continue;
    }
    auto message = protocol::decode_response(*payload);
    REQUIRE(message);
    if (auto* const found = std::get_if<Event>(&message->response)) {
      return std::move(*found);
    }
  }
}

}  // namespace

TEST_CASE("field cases: a command that ends at once tells its code and is closed once (D21)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "exit 4");
  REQUIRE(exits(daemon, id));
  CHECK(std::get<protocol::Exited>(info_of(daemon, id).lifecycle).exit_code == 4);
  CHECK(is_ok(ask(daemon, request::Terminate{id, false})));
  CHECK(ask_for<reply::Terminals>(daemon, request::List{}).terminals.empty());
  CHECK(refusal(daemon, request::Terminate{id, false}).find("not found") != std::string::npos);
}

TEST_CASE("field cases: a killed program is listed as exited beside a half-open client (D25 D04)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "stty raw -echo; printf final; exec sleep 1000");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "final"; }));
  Client half_open{daemon};
  subscribe(half_open, id, "half-open", protocol::Role::controller);
  REQUIRE(::kill(*info_of(daemon, id).pid, SIGKILL) == 0);
  REQUIRE(exits(daemon, id));
  CHECK(std::get<protocol::Exited>(info_of(daemon, id).lifecycle).exit_code == 128 + SIGKILL);
  Client late{daemon};
  CHECK(subscribe(late, id, "late").replay == "final");
  CHECK(ask_for<reply::Snapshot>(daemon, request::Snapshot{id, {}}).text == "final");
}

TEST_CASE("field cases: what was printed before anybody attached is there once (D27)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "echo hello; exec sleep 1000");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "hello\r\n"; }));
  Client first{daemon};
  CHECK(subscribe(first, id, "first", protocol::Role::controller).replay == "hello\r\n");
  CHECK(rows_of(daemon, id, 65535) == std::vector<std::string>{"hello"});
}

TEST_CASE("field cases: without a client queries are answered and a resize repaints (D28 V23)") {
  DaemonProcess daemon;
  const TerminalId id =
      create_shell(daemon,
                   "stty raw -echo; printf READY; head -c 1 >/dev/null; printf '\\033[c'; "
                   "head -c 9 | od -An -c | tr -d ' \\n'; exec sleep 1000");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  {
    Client gone{daemon};
    subscribe(gone, id, "gone", protocol::Role::controller);
  }
  REQUIRE(wait_until([&] { return info_of(daemon, id).subscribers == 0; }));
  REQUIRE(is_ok(write(daemon, id, "!")));
  const std::string answered = "READY\x1b[c033[?62;22c";
  CHECK(wait_until([&] { return replay_of(daemon, id) == answered; }));
  Client again{daemon};
  CHECK(subscribe(again, id, "again", protocol::Role::controller).replay == answered);
  CHECK(is_ok(ask(daemon, request::Resize{id, "again", 80, 24})));
  const auto repaint = read_event<event::Resized>(again);
  CHECK(repaint.cols == 80);
  CHECK(repaint.checkpoint.find("READY033[?62;22c") != std::string::npos);
  CHECK(repaint.checkpoint.find("\x1b[c") == std::string::npos);
}

TEST_CASE("field cases: a title is free again as soon as its terminal is closed (D30 V39)") {
  DaemonProcess daemon;
  for (int turn = 0; turn < 10; ++turn) {
    const TerminalId id = create_shell(daemon, "exec cat");
    CHECK(is_ok(ask(daemon, request::Terminate{id, false})));
  }
  const TerminalId last = create_shell(daemon, "stty raw -echo; printf READY; exec cat");
  REQUIRE(wait_until([&] { return replay_of(daemon, last) == "READY"; }));
  CHECK(is_ok(write(daemon, last, "works")));
  CHECK(wait_until([&] { return replay_of(daemon, last) == "READYworks"; }));
  CHECK(ask_for<reply::Terminals>(daemon, request::List{}).terminals.size() == 1);
}

TEST_CASE("field cases: senseless sizes are refused and one cell does no harm (D36 D38)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "stty raw -echo; printf READY; exec cat");
  CHECK(refusal(daemon, request::Resize{id, {}, 0, 0}) == "terminal dimensions must be positive");
  CHECK(info_of(daemon, id).cols == 80);
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  CHECK(is_ok(ask(daemon, request::Resize{id, {}, 1, 1})));
  CHECK(info_of(daemon, id).cols == 2);
  CHECK(info_of(daemon, id).rows == 1);
  CHECK(is_ok(write(daemon, id, "\xF0\x9F\x98\x80")));
  CHECK(wait_until([&] { return replay_of(daemon, id) == "READY\xF0\x9F\x98\x80"; }));
}

TEST_CASE("field cases: an exited terminal keeps screen history and status (D39)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "seq 1 100; exit 6");
  REQUIRE(exits(daemon, id));
  const auto rows = rows_of(daemon, id, 65535);
  REQUIRE(rows.size() == 100);
  CHECK(rows.front() == "1");
  CHECK(rows.back() == "100");
  Client late{daemon};
  const auto attached = subscribe(late, id, "late", protocol::Role::controller);
  CHECK(attached.replay == numbers(1, 100));
  CHECK(std::get<protocol::Exited>(attached.terminal.lifecycle).exit_code == 6);
}

TEST_CASE("field cases: a subscription goes on when the program is started again (D43)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "printf run; head -c 1 >/dev/null");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "run"; }));
  const auto first = info_of(daemon, id);
  REQUIRE(is_ok(write(daemon, id, "\n")));
  REQUIRE(exits(daemon, id));
  const StreamOffset before = info_of(daemon, id).output_tail;
  const protocol::RequestId tag{std::uint64_t{1}};
  Client viewer{daemon};
  request::Subscribe subscribe;
  subscribe.id = id;
  subscribe.attachment_id = "viewer";
  subscribe.offset = before;
  viewer.send(subscribe, tag);
  CHECK(std::holds_alternative<reply::Attached>(viewer.read_reply(tag)));
  CHECK(is_ok(ask(daemon, request::Restart{id})));
  CHECK(viewer.read_output_until("run") == "run");
  const auto second = info_of(daemon, id);
  CHECK(second.output_tail == before + 3);
  CHECK(second.pid != first.pid);
}

TEST_CASE("field cases: programs finish though nobody reads and all is kept as it was (D47 D48)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "seq 1 5000");
  const TerminalId large = create_shell(daemon, "stty raw; yes | head -c 10485760");
  REQUIRE(exits(daemon, id));
  CHECK(replay_of(daemon, id) == numbers(1, 5000));
  CHECK(rows_of(daemon, id, 65535).size() == 5000);
  REQUIRE(exits(daemon, large));
  const auto kept = ask_for<reply::Replay>(daemon, request::Replay{large, 0});
  CHECK(kept.end_offset == 10'485'760);
  CHECK(kept.truncated);
  REQUIRE(kept.data.size() == kept.end_offset - kept.available_offset);
  std::string wanted;
  for (StreamOffset at = kept.available_offset; at < kept.end_offset; ++at) {
    wanted += at % 2 == 0 ? 'y' : '\n';
  }
  CHECK((kept.data == wanted));
}

TEST_CASE("field cases: an observer never sizes (D55)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(
      daemon, "stty raw -echo; while printf x; do head -c 1 >/dev/null; stty size; done");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "x"; }));
  Client controller{daemon};
  subscribe(controller, id, "controller", protocol::Role::controller);
  Client observer{daemon};
  subscribe(observer, id, "observer");
  for (const std::optional<std::string>& who : {std::optional<std::string>{"observer"}, {}}) {
    CHECK(refusal(daemon, request::Resize{id, who, 42, 200}).find("controller") !=
          std::string::npos);
  }
  CHECK(is_ok(write(daemon, id, "!", "controller")));
  CHECK(wait_until([&] { return replay_of(daemon, id).rfind("x24 80", 0) == 0; }));
}

TEST_CASE("field cases: a lost connection leaves the program and the stream whole (D56)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(
      daemon,
      "stty raw -echo; printf READY; head -c 1 >/dev/null; seq -f %06.0f 1 20000 | tr '\\n' ';'; "
      "printf END; exec cat");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  const auto pid = info_of(daemon, id).pid;
  REQUIRE(is_ok(write(daemon, id, "!")));
  std::string whole;
  int turns = 0;
  while (whole.find("END") == std::string::npos) {
    REQUIRE(++turns < 10'000);
    Client stream{daemon};  // each is dropped after one frame, whatever else is on its way
    whole += subscribe(stream, id, "client", protocol::Role::observer, whole.size()).replay;
    if (whole.find("END") != std::string::npos) {
      break;
    }
    const auto payload = stream.read();
    REQUIRE(payload);
    if (protocol::is_output(*payload)) {
      const auto view = protocol::parse_output(*payload);
      REQUIRE(view);
      REQUIRE(view->start == whole.size());
      whole += view->bytes;
    }
  }
  std::string wanted = "READY";
  for (int n = 1; n <= 20000; ++n) {
    const std::string digits = std::to_string(n);
    wanted += std::string(6 - digits.size(), '0') + digits + ";";
  }
  CHECK((whole == wanted + "END"));
  CHECK(info_of(daemon, id).pid == pid);
}

TEST_CASE("field cases: three owners after each other find the same programs (D41)") {
  DaemonProcess daemon{Kind::owned};
  const std::string instance = daemon.registration().instance_id;
  const protocol::RequestId tag{std::uint64_t{1}};
  auto owner = std::make_unique<Client>(daemon);
  owner->send(request::Own{instance, {}}, tag);
  REQUIRE(std::holds_alternative<reply::Owned>(owner->read_reply(tag)));
  const TerminalId id = create_shell(daemon, "stty raw -echo; printf READY; exec cat");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  const auto pid = info_of(daemon, id).pid;
  for (int turn = 0; turn < 3; ++turn) {
    owner->send(request::PrepareHandoff{}, tag);
    const auto handoff = std::get<reply::Handoff>(owner->read_reply(tag));
    owner = nullptr;
    owner = std::make_unique<Client>(daemon);
    owner->send(request::Own{instance, handoff.ticket}, tag);
    REQUIRE(std::holds_alternative<reply::Owned>(owner->read_reply(tag)));
    REQUIRE(is_ok(write(daemon, id, std::to_string(turn))));
  }
  CHECK(wait_until([&] { return replay_of(daemon, id) == "READY012"; }));
  CHECK(info_of(daemon, id).pid == pid);
}

TEST_CASE("field cases: waiting for silence of a silent program ends (D32)") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "exec sleep 1000");
  request::Wait wait;
  wait.id = id;
  wait.idle_ms = 300;
  wait.timeout_ms = 60'000;
  const auto text = ask_for<reply::Text>(daemon, wait);
  CHECK(text.reason == WaitReason::idle);
  CHECK(text.slice.text.empty());
  CHECK(ask_for<reply::Snapshot>(daemon, request::Snapshot{id, {}}).text.empty());
}
