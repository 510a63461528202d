// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "remote_fixture.hpp"
#include "tests/support/remote_hosts.hpp"

using troupe::remote::SshOptions;
using troupe::remote::test::options_for;
using troupe::remote::test::Remote;
using troupe::test::SshServer;

namespace {

std::size_t open_sockets() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own
    count += std::filesystem::read_symlink(entry.path(), gone).string().starts_with("socket:");
  }
  return count;
}

/// Connects to a host that refuses it, and gives what it says.
std::string refusal(const SshOptions& options) {
  Remote remote;
  remote.open(options);
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  REQUIRE(remote.error);
  return remote.error->message;
}

}  // namespace

TEST_CASE("ssh_channel: a command runs on a terminal of the asked size and its status comes back") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = options_for(server);
  options.command = "stty size; printf 'h\\303\\251'; exit 7";
  remote.service->open_ssh(options, {91, 33}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.exit || remote.error; }));
  REQUIRE_FALSE(remote.error);
  CHECK(remote.output == "33 91\r\nh\xC3\xA9");
  CHECK(remote.exit->exit_code == 7);
}

TEST_CASE("ssh_channel: input arrives and a resize reaches the remote program") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = options_for(server);
  options.command =
      "trap 'stty size' WINCH; echo READY; while read -r line; do echo \"<$line>\"; done";
  remote.open(options);
  REQUIRE(remote.wait_for("READY"));
  REQUIRE(remote.channel->write("caf\xC3\xA9\r", 5).ok());
  REQUIRE(remote.wait_for("<caf\xC3\xA9>"));
  REQUIRE(remote.channel->resize({100, 40}).ok());
  CHECK(remote.run_until([&] {
    if (remote.output.find("40 100") == std::string::npos && remote.channel->queued_bytes() == 0) {
      CHECK(remote.channel->write("x\r", 0).ok());  // bash runs a trap between two reads
    }
    return remote.output.find("40 100") != std::string::npos;
  }));
}

TEST_CASE("ssh_channel: death by a signal is told as one") {
  for (const auto& died : {std::pair{"TERM", SIGTERM}, std::pair{"ALRM", SIGALRM}}) {
    CAPTURE(died.first);
    SshServer server;
    server.serve_one();
    Remote remote;
    SshOptions options = options_for(server);
    options.command = std::string("kill -") + died.first + " $$";
    remote.open(options);
    REQUIRE(remote.run_until([&] { return remote.exit || remote.error; }));
    REQUIRE(remote.exit);
    CHECK(remote.exit->signal == died.second);
  }
}

TEST_CASE("ssh_channel: a connection that is lost is a failure and no end of the program") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = options_for(server);
  options.command = "echo READY; kill -9 $PPID; exec sleep 1000";
  remote.open(options);
  REQUIRE(remote.run_until([&] { return remote.exit || remote.error; }));
  REQUIRE(remote.failure);
  CHECK(remote.failure->code == troupe::Code::io);
  CHECK(remote.failure->message.find("the connection was lost") != std::string::npos);
  CHECK_FALSE(remote.exit->exit_code);
  CHECK_FALSE(remote.exit->signal);
}

TEST_CASE("ssh_channel: a connection that this side cuts is no failure") {
  SshServer server;
  server.serve_one();
  Remote remote;
  remote.open(options_for(server));
  REQUIRE(remote.wait_for("READY"));
  remote.channel->end_stream();
  REQUIRE(remote.run_until([&] { return remote.exit.has_value(); }));
  CHECK_FALSE(remote.failure);
}

TEST_CASE(
    "ssh_channel: an unknown host key fails before authentication and names the fingerprint") {
  SshServer server;
  server.serve_one();
  SshOptions options = options_for(server);
  std::ofstream(server.path("empty")).flush();
  options.known_hosts = server.path("empty");
  options.password = "hunter2";
  const std::string said = refusal(options);
  CHECK(said.find("SHA256:") != std::string::npos);
  CHECK(said.find("hunter2") == std::string::npos);
}

TEST_CASE("ssh_channel: a changed host key is refused") {
  SshServer server;
  server.serve_one();
  SshOptions options = options_for(server);
  options.known_hosts = server.path("wrong_hosts");
  CHECK(refusal(options).find("does not match") != std::string::npos);
}

TEST_CASE("ssh_channel: a host key that is revoked is refused also where a line knows it") {
  SshServer server;
  server.serve_one();
  std::ifstream key(server.path("host.pub"));
  std::string line;
  std::getline(key, line);
  std::ofstream(server.path("known_hosts"), std::ios::app) << "@revoked * " << line << "\n";
  const std::string said = refusal(options_for(server));
  CHECK(said.find("is revoked in " + server.path("known_hosts")) != std::string::npos);
  CHECK(said.find("SHA256:") != std::string::npos);
}

TEST_CASE("ssh_channel: a key that the host does not know is a permission error of the open") {
  SshServer server;
  server.serve_one();
  SshOptions options = options_for(server);
  options.key_path = server.path("stranger");
  CHECK(refusal(options).find("permission denied") != std::string::npos);
}

TEST_CASE("ssh_channel: a passphrase is asked for in the terminal without echo") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = options_for(server);
  options.key_path = server.path("locked");
  remote.open(options);
  REQUIRE(remote.wait_for("Enter passphrase for key"));
  REQUIRE(remote.channel->line_state());
  CHECK_FALSE(remote.channel->line_state()->echo);
  CHECK(remote.channel->line_state()->canonical);
  REQUIRE(remote.channel->write("open sesame\r", 1).ok());
  REQUIRE(remote.wait_for("READY"));
  CHECK(remote.output.find("sesame") == std::string::npos);
  CHECK_FALSE(remote.channel->line_state());
}

TEST_CASE("ssh_channel: however it ends no socket is left open") {
  SshServer server;
  const std::size_t before = open_sockets();
  SshOptions options = options_for(server);
  SUBCASE("the host is not known") {
    server.serve_one();
    std::ofstream(server.path("empty")).flush();
    options.known_hosts = server.path("empty");
    CHECK_FALSE(refusal(options).empty());
  }
  SUBCASE("the host lets nobody in") {
    server.serve_one();
    options.key_path = server.path("stranger");
    CHECK_FALSE(refusal(options).empty());
  }
  SUBCASE("the command ends") {
    server.serve_one();
    options.command = "exit 3";
    Remote remote;
    remote.open(options);
    REQUIRE(remote.run_until([&] { return remote.exit.has_value(); }));
    CHECK(remote.exit->exit_code == 3);
  }
  SUBCASE("the server dies") {
    server.serve_one();
    options.command = "echo READY; kill -9 $PPID; exec sleep 1000";
    Remote remote;
    remote.open(options);
    CHECK(remote.run_until([&] { return remote.exit || remote.failure || remote.end_of_stream; }));
  }
  SUBCASE("the terminal is closed") {
    server.serve_one();
    Remote remote;
    remote.open(options);
    REQUIRE(remote.wait_for("READY"));
  }
  SUBCASE("it is given up while the host says nothing") {
    Remote remote;
    remote.open(options);
  }
  CHECK(open_sockets() == before);
}

TEST_CASE("ssh_channel: a mistyped passphrase is asked for again three times in all") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = options_for(server);
  options.key_path = server.path("locked");
  const auto questions = [&] {
    std::size_t count = 0;
    for (auto at = remote.output.find("Enter passphrase"); at != std::string::npos;
         at = remote.output.find("Enter passphrase", at + 1)) {
      ++count;
    }
    return count;
  };
  remote.open(options);
  SUBCASE("right at last") {
    for (std::size_t asked = 1; asked <= 3; ++asked) {
      REQUIRE(remote.run_until([&] { return questions() == asked; }));
      REQUIRE(remote.channel->write(asked < 3 ? "wrong\r" : "open sesame\r", asked).ok());
    }
    CHECK(remote.wait_for("READY"));
  }
  SUBCASE("never right") {
    for (std::size_t asked = 1; asked <= 3; ++asked) {
      REQUIRE(remote.run_until([&] { return questions() == asked; }));
      REQUIRE(remote.channel->write("wrong\r", asked).ok());
    }
    REQUIRE(remote.run_until([&] { return remote.exit.has_value(); }));
    CHECK(remote.exit->exit_code == 255);
    CHECK(questions() == 3);
    CHECK(remote.output.find("could not be opened") != std::string::npos);
    CHECK(remote.output.find("wrong") == std::string::npos);
  }
}

TEST_CASE("ssh_channel: a megabyte through cat comes back exactly") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = options_for(server);
  options.command = "stty raw -echo; echo READY; exec cat";
  remote.open(options);
  REQUIRE(remote.wait_for("READY"));
  remote.output.clear();
  std::string big;
  while (big.size() < 1024U * 1024) {
    big += std::to_string(big.size()) + "\n";
  }
  REQUIRE(remote.channel->write(big, 1).ok());
  REQUIRE(remote.run_until([&] { return remote.output.size() >= big.size(); }));
  CHECK((remote.output == big || remote.output == "\n" + big));
}

TEST_CASE("ssh_channel: terminate answers while a handshake hangs") {
  SshServer server;  // accepts nobody: the caller waits for the banner
  Remote remote;
  remote.open(options_for(server));
  remote.service.reset();
  CHECK_FALSE(remote.open_done());
}
