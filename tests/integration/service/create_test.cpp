// SPDX-License-Identifier: MIT

/// @file
/// What `create` can ask for beyond a program: the shell integration, other kinds, labels and
/// protection.

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "client.hpp"
#include "daemon_process.hpp"
#include "tests/support/remote_hosts.hpp"

using namespace troupe;
using namespace troupe::testing;
using test::listen_for;
using test::say;
using test::ScriptedHost;
using test::SshServer;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

void type(const DaemonProcess& daemon, TerminalId id, std::string data) {
  request::Write write;
  write.id = id;
  write.data = std::move(data);
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, write)));
}

request::Create remote_create(protocol::TerminalKind kind, std::string options) {
  request::Create create;
  create.kind = kind;
  create.cwd = "/";
  create.title = "far";
  create.group_id = "g";
  create.options = std::move(options);
  return create;
}

request::Create ssh_to(const SshServer& server, const std::string& command) {
  return remote_create(protocol::TerminalKind::ssh,
                       R"({"host":"127.0.0.1","port":)" + std::to_string(server.port()) +
                           R"(,"user":")" + SshServer::user() + R"(","known_hosts":")" +
                           server.path("known_hosts") + R"(","key_path":")" + server.path("user") +
                           R"(","use_agent":false,"command":")" + command + R"("})");
}

bool prints(const DaemonProcess& daemon, TerminalId id, const std::string& wanted) {
  return wait_until([&] { return replay_of(daemon, id).find(wanted) != std::string::npos; });
}

bool exits(const DaemonProcess& daemon, TerminalId id) {
  return !ask_for<reply::Exit>(daemon, request::WaitExit{id, 20'000}).timed_out;
}

std::vector<protocol::TerminalInfo> list(const DaemonProcess& daemon) {
  return ask_for<reply::Terminals>(daemon, request::List{}).terminals;
}

bool has_feature(const DaemonProcess& daemon, std::string_view name) {
  const auto& features = daemon.registration().features;
  return std::find(features.begin(), features.end(), name) != features.end();
}

}  // namespace

TEST_CASE("create: an integrated bash tells its commands with the daemon's nonce") {  // A-14
  DaemonProcess daemon;
  REQUIRE(has_feature(daemon, "integrate"));
  request::Create create;
  create.program = "bash";
  create.args = {"-i"};
  create.cwd = create.env["HOME"] = daemon.directory();
  create.title = create.group_id = "g";
  create.integrate = true;
  const auto created = ask_for<reply::Created>(daemon, create);
  CHECK(created.terminal.command == std::vector<std::string>{"bash", "-i"});
  const TerminalId id = created.terminal.id;
  const auto run = ask_for<reply::CommandOutput>(
      daemon, request::Run{id, {}, "echo nonce=${TROUPE_NONCE-unset}", 20'000, 0});
  REQUIRE(run.record);
  CHECK(run.slice.text == "nonce=unset\n");
  CHECK(run.record->trusted);
  CHECK(run.record->exit_code == 0);
}

TEST_CASE("create: the integration's files are private and go with the daemon") {
  std::string directory;
  {
    DaemonProcess daemon;
    directory = daemon.directory() + "/shell-integration";
    const auto permissions = std::filesystem::status(directory).permissions();
    CHECK((permissions & std::filesystem::perms{077}) == std::filesystem::perms::none);
    CHECK(std::filesystem::exists(directory + "/bash/rc.bash"));
    daemon.signal(15);
    CHECK(daemon.wait_exit() == 0);
    CHECK_FALSE(std::filesystem::exists(daemon.directory()));
  }
}

TEST_CASE("create: a telnet terminal is a terminal like any other") {  // A-13
  DaemonProcess daemon;
  REQUIRE(has_feature(daemon, "kinds"));
  std::string heard;
  ScriptedHost host([&](int fd) {
    say(fd, "\r\nlogin: ");
    heard = listen_for(fd, "joe\r");
    say(fd, "\r\nwelcome\r\n");
    (void)listen_for(fd, "bye\r");
    // An orderly end: a close with unread bytes would be a reset.
    ::shutdown(fd, SHUT_WR);
    (void)listen_for(fd, "nothing more");
  });
  const auto created = ask_for<reply::Created>(
      daemon, remote_create(protocol::TerminalKind::telnet,
                            R"({"host":"127.0.0.1","port":)" + std::to_string(host.port()) + "}"));
  const protocol::TerminalInfo& info = created.terminal;
  CHECK(info.kind == protocol::TerminalKind::telnet);
  CHECK_FALSE(info.pid);
  CHECK(info.command ==
        std::vector<std::string>{"telnet", "127.0.0.1:" + std::to_string(host.port())});
  CHECK(prints(daemon, info.id, "login: "));
  type(daemon, info.id, "joe\r");
  CHECK(prints(daemon, info.id, "welcome"));
  type(daemon, info.id, "bye\r");
  CHECK(exits(daemon, info.id));
  REQUIRE(wait_until(
      [&] { return std::holds_alternative<protocol::Exited>(list(daemon).at(0).lifecycle); }));
  CHECK(std::get<protocol::Exited>(list(daemon).at(0).lifecycle).exit_code == std::nullopt);
  CHECK(ask_for<reply::Snapshot>(daemon, request::Snapshot{info.id, {}}).text.find("welcome") !=
        std::string::npos);
}

TEST_CASE("create: a host that refuses is the error of create and leaves no terminal") {
  DaemonProcess daemon;
  std::uint16_t const closed = ScriptedHost([](int) {}).port();
  const auto error = ask_for<reply::Error>(
      daemon, remote_create(protocol::TerminalKind::telnet,
                            R"({"host":"127.0.0.1","port":)" + std::to_string(closed) + "}"));
  CHECK(error.message.find("refused") != std::string::npos);
  CHECK(list(daemon).empty());
}

TEST_CASE("create: an ssh terminal has a size and an exit code and can be restarted") {
  DaemonProcess daemon;
  SshServer server;
  server.serve_one();
  request::Create create = ssh_to(server, "stty size; exit 7");
  create.cols = 91;
  create.rows = 33;
  const TerminalId id = ask_for<reply::Created>(daemon, create).terminal.id;
  REQUIRE(exits(daemon, id));
  CHECK(prints(daemon, id, "33 91"));
  REQUIRE(wait_until(
      [&] { return std::holds_alternative<protocol::Exited>(list(daemon).at(0).lifecycle); }));
  CHECK(std::get<protocol::Exited>(list(daemon).at(0).lifecycle).exit_code == 7);
  server.serve_one();
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, request::Restart{id})));
  REQUIRE(exits(daemon, id));
  CHECK(wait_until([&] {
    const std::string printed = replay_of(daemon, id);
    return printed.find("33 91") != printed.rfind("33 91");
  }));
}

TEST_CASE("create: a password is in no reply and no list and no log") {  // A-13
  DaemonProcess daemon{Kind::standalone, {"--log-level", "debug"}};
  SshServer server;
  server.serve_one();
  request::Create create =
      remote_create(protocol::TerminalKind::ssh,
                    R"({"host":"127.0.0.1","port":)" + std::to_string(server.port()) +
                        R"(,"user":"nobody-here","password":"hunter2-secret","use_agent":false,)" +
                        R"("insecure_no_host_check":true})");
  const auto error = ask_for<reply::Error>(daemon, create);
  CHECK(error.message.find("hunter2") == std::string::npos);
  CHECK(daemon.printed().find("hunter2") == std::string::npos);
}

TEST_CASE("create: a launch password is in no row of a recording that began later") {  // A-13
  DaemonProcess daemon;
  SshServer server;
  server.serve_one();
  request::Create create = ssh_to(server, "printf READY; exec cat");
  create.options.insert(1, R"("password":"correct-horse",)");
  const TerminalId id = ask_for<reply::Created>(daemon, create).terminal.id;
  REQUIRE(prints(daemon, id, "READY"));
  const std::string path = daemon.directory() + "-later.jsonl";
  const request::Record start{id, request::RecordingChange{protocol::RecordingTarget{path}},
                              protocol::Redaction::off};
  REQUIRE(ask_for<reply::Recording>(daemon, start).active);
  type(daemon, id, "sudo correct-horse\r");
  REQUIRE(prints(daemon, id, "correct-horse\r\nsudo correct-horse"));
  ask_for<reply::Recording>(daemon, request::Record{id, request::RecordingChange{}, {}});
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text.find("correct-horse") == std::string::npos);
  CHECK(text.find(R"("keys":"sudo ***\r")") != std::string::npos);
  CHECK(text.find("terminal_stop") != std::string::npos);
  std::filesystem::remove(path);
}

TEST_CASE("create: a daemon whose host does not answer stops at once") {  // A-17
  DaemonProcess daemon;
  ScriptedHost host([](int fd) { (void)listen_for(fd, "never"); });
  Client client{daemon};
  client.send(remote_create(protocol::TerminalKind::ssh,
                            R"({"host":"127.0.0.1","port":)" + std::to_string(host.port()) +
                                R"(,"insecure_no_host_check":true,"use_agent":false})"));
  // The daemon has read the request when the host has its caller; a ping is behind it either way.
  REQUIRE(std::holds_alternative<reply::Pong>(ask(daemon, request::Ping{})));
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, request::Shutdown{})));
  CHECK(std::holds_alternative<reply::Error>(client.read_message().response));
  CHECK(daemon.wait_exit() == 0);
}

TEST_CASE("create: label and profile are told and a protected terminal needs force") {  // A-15
  DaemonProcess daemon;
  request::Create create;
  create.program = "/bin/cat";
  create.cwd = "/";
  create.title = create.group_id = "g";
  create.label = "build";
  create.profile = "ci";
  create.is_protected = true;
  const TerminalId id = ask_for<reply::Created>(daemon, create).terminal.id;
  const auto terminals = list(daemon);
  REQUIRE(terminals.size() == 1);
  CHECK(terminals[0].label == "build");
  CHECK(terminals[0].profile == "ci");
  CHECK(terminals[0].is_protected);
  CHECK(std::holds_alternative<reply::Error>(ask(daemon, request::Terminate{id, false})));
  CHECK(list(daemon).size() == 1);
  CHECK(std::holds_alternative<reply::Ok>(ask(daemon, request::Terminate{id, true})));
  CHECK(list(daemon).empty());
}

TEST_CASE("create: status counts what there is") {  // A-16
  DaemonProcess daemon;
  REQUIRE(has_feature(daemon, "status"));
  const TerminalId running = create_shell(daemon, "exec cat");
  const TerminalId over = create_shell(daemon, "exit 0");
  REQUIRE(exits(daemon, over));
  Client stream{daemon};
  request::Subscribe subscribe;
  subscribe.id = running;
  subscribe.attachment_id = "a";
  stream.send(subscribe);
  (void)stream.read_message();
  Client waiter{daemon};
  waiter.send(request::WaitExit{running, 60'000});
  {
    const auto now = ask_for<reply::TerminalsChanged>(daemon, request::TerminalsWait{});
    Client watcher{daemon};
    watcher.send(request::TerminalsWait{now.revision, 60'000});
    CHECK(wait_until([&] { return ask_for<reply::Status>(daemon, request::Status{}).waits == 2; }));
  }
  reply::Status status;
  CHECK(wait_until([&] {
    status = ask_for<reply::Status>(daemon, request::Status{});
    return status.waits == 1 && status.running == 1;
  }));
  CHECK(status.terminals == 2);
  CHECK(status.subscriptions == 1);
  CHECK(status.connections >= 3);
  CHECK(status.standalone);
  CHECK(status.retained_bytes > 2 * 1024);
  CHECK(status.pid == daemon.registration().pid);
  CHECK(status.instance_id == daemon.registration().instance_id);
}
