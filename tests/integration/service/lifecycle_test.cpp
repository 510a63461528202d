// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "client.hpp"
#include "daemon_process.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;

TEST_CASE("trouped: version help and errors go where they belong") {
  const Finished version = run_trouped({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.rfind("troupe ", 0) == 0);
  CHECK(version.out.find("(protocol 7)") != std::string::npos);
  CHECK(version.err.empty());
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"daemon", "--name", "a/b", "--runtime-dir", "/nonexistent"},
        std::vector<std::string>{"nonsense"}, std::vector<std::string>{"--unknown"}}) {
    const Finished failed = run_trouped(wrong);
    CHECK(failed.status == 1);
    CHECK(failed.out.empty());
    CHECK(failed.err.rfind("error: ", 0) == 0);
  }
}

TEST_CASE("trouped: a standalone daemon has no owner and lives until shutdown") {  // D-1, D-2
  DaemonProcess daemon{Kind::standalone};
  Client client{daemon};
  client.send(request::Own{daemon.registration().instance_id, {}}, protocol::RequestId{1U});
  const auto refused = std::get<reply::Error>(client.read_message().response);
  CHECK(refused.code == Code::unsupported);
  const TerminalId id = create_shell(daemon, "exec sleep 1000");
  CHECK(ask_for<reply::Terminals>(daemon, request::List{}).terminals.size() == 1);
  CHECK(std::holds_alternative<reply::Ok>(ask(daemon, request::Shutdown{})));
  CHECK(daemon.wait_exit() == 0);
  CHECK_FALSE(std::filesystem::exists(daemon.registration().socket));
  CHECK_FALSE(std::filesystem::exists(daemon.directory()));
  CHECK(daemon.printed().empty());
  (void)id;
}

TEST_CASE("trouped: SIGTERM ends programs that ignore hang-up and leaves nothing") {  // D-3, D-4
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "trap '' HUP TERM; printf READY; sleep 1000 & wait");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  const auto info = ask_for<reply::Terminals>(daemon, request::List{}).terminals.at(0);
  daemon.signal(SIGTERM);
  CHECK(daemon.wait_exit() == 0);
  CHECK(::kill(*info.pid, 0) != 0);
  CHECK_FALSE(std::filesystem::exists(daemon.directory()));
}

TEST_CASE("trouped: a stop ends the programs of creates that are on their way") {
  DaemonProcess daemon;
  Client client{daemon};
  request::Create create;
  create.program = "/bin/sh";
  create.args = {"-c", "echo $$ >> pids; trap '' HUP TERM; exec sleep 1000"};
  create.cwd = std::filesystem::path{daemon.directory()}.parent_path().string();
  create.cols = 80;
  create.rows = 24;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    client.send(create, protocol::RequestId{id});
  }
  client.send(request::Shutdown{}, protocol::RequestId{21U});
  CHECK(daemon.wait_exit() == 0);
  std::ifstream pids{create.cwd + "/pids"};
  for (pid_t pid = 0; pids >> pid;) {
    CHECK(::kill(pid, 0) != 0);
  }
}

TEST_CASE("trouped: SSH_AUTH_SOCK leads to the agent of the newest client that stays") {  // D-5
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "printf \"[$SSH_AUTH_SOCK]\"; exec sleep 1000");
  std::string printed;
  REQUIRE(wait_until([&] {
    printed = replay_of(daemon, id);
    return printed.find(']') != std::string::npos;
  }));
  std::string const path = printed.substr(1, printed.find(']') - 1);
  const auto target = [&] {
    std::error_code error;
    return std::filesystem::read_symlink(path, error).string();
  };
  CHECK(target().empty());
  Client older{daemon};
  {
    Client newer{daemon};
    for (const auto& [client, name] : {std::pair{&older, "a"}, std::pair{&newer, "b"}}) {
      request::Subscribe subscribe;
      subscribe.id = id;
      subscribe.attachment_id = name;
      subscribe.ssh_auth_sock = std::string{"/tmp/agent-"} + name;
      client->send(subscribe);
      CHECK(std::holds_alternative<reply::Attached>(client->read_message().response));
    }
    CHECK(wait_until([&] { return target() == "/tmp/agent-b"; }));
  }
  CHECK(wait_until([&] { return target() == "/tmp/agent-a"; }));
}

TEST_CASE("trouped: a daemon that nobody claims ends by itself") {
  DaemonProcess daemon{Kind::owned};
  CHECK(daemon.wait_exit() == 0);
}
