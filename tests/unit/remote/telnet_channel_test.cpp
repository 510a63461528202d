// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sys/socket.h>

#include "remote_fixture.hpp"
#include "tests/support/remote_hosts.hpp"

using troupe::remote::test::Remote;
using troupe::test::listen_for;
using troupe::test::say;
using troupe::test::ScriptedHost;
using troupe::test::TelnetServer;

namespace {

troupe::remote::TelnetOptions to(const ScriptedHost& host) {
  troupe::remote::TelnetOptions options;
  options.host = "127.0.0.1";
  options.port = host.port();
  return options;
}

}  // namespace

TEST_CASE("telnet_channel: a board with CP437 art asks a name and hangs up") {
  std::string heard;
  ScriptedHost host([&](int fd) {
    say(fd, std::string("\xFF\xFD\x1F\xC9\xCD\xBB\r\nName: ", 14));
    heard = listen_for(fd, "J\x81rgen\r");
    say(fd, "\r\nBye\r\n");
  });
  Remote remote;
  remote.service->open_telnet(to(host), {132, 50}, remote.opened());
  REQUIRE(remote.wait_for("Name: "));
  CHECK(remote.output == "\xE2\x95\x94\xE2\x95\x90\xE2\x95\x97\r\nName: ");
  REQUIRE(remote.channel->write("J\xC3\xBCrgen\r", 0).ok());
  REQUIRE(remote.run_until([&] { return remote.exit.has_value(); }));
  CHECK(remote.output.find("Bye") != std::string::npos);
  CHECK(remote.end_of_stream);
  CHECK_FALSE(remote.exit->exit_code);
  CHECK(heard.find(std::string("\xFF\xFA\x1F\x00\x84\x00\x32\xFF\xF0", 9)) != std::string::npos);
}

TEST_CASE("telnet_channel: a refused connection is the error of the open") {
  std::uint16_t closed_port = 0;
  {
    closed_port = ScriptedHost([](int) {}).port();
  }
  Remote remote;
  troupe::remote::TelnetOptions options;
  options.host = "127.0.0.1";
  options.port = closed_port;
  remote.service->open_telnet(options, {80, 25}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  REQUIRE(remote.error);
  CHECK(remote.error->message ==
        "cannot connect to 127.0.0.1 port " + std::to_string(closed_port) + ": Connection refused");
}

TEST_CASE("telnet_channel: a metadata address is refused before any connection") {
  Remote remote;
  troupe::remote::TelnetOptions options;
  options.host = "169.254.169.254";
  remote.service->open_telnet(options, {80, 25}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  REQUIRE(remote.error);
  CHECK(remote.error->message.find("metadata") != std::string::npos);
}

TEST_CASE("telnet_channel: terminate ends a connection whose host says nothing") {
  ScriptedHost host([](int fd) { listen_for(fd, "never"); });
  Remote remote;
  remote.service->open_telnet(to(host), {80, 25}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  bool answered = false;
  remote.channel->terminate([&](const troupe::pty::TerminateResult&) { answered = true; });
  CHECK(remote.run_until([&] { return answered; }));
  CHECK(remote.end_of_stream);
}

TEST_CASE("telnet_channel: output waits for credit and none is lost") {
  static constexpr std::size_t total = 3U * 1024 * 1024;
  ScriptedHost host([](int fd) {
    const std::string block(64U * 1024, 'x');
    for (std::size_t sent = 0; sent < total; sent += block.size()) {
      say(fd, block);
    }
    // Closing with unread input would reset the connection and take output with it.
    ::shutdown(fd, SHUT_WR);
    listen_for(fd, "never");
  });
  Remote remote;
  remote.service->open_telnet(to(host), {80, 25}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.exit.has_value(); }));
  CHECK(remote.output.size() == total);
}

TEST_CASE("telnet_channel: leaving while the host is silent leaves nothing behind") {
  ScriptedHost host([](int fd) { listen_for(fd, "never"); });
  {
    Remote remote;
    remote.service->open_telnet(to(host), {80, 25}, remote.opened());
    REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  }
  {
    Remote unanswered;  // the open itself is given up
    unanswered.service->open_telnet(to(host), {80, 25}, unanswered.opened());
  }
}

TEST_CASE("telnet_channel: a subnegotiation without an end ends the connection and is no text") {
  ScriptedHost host([&](int fd) {
    say(fd, "hello\xFF\xFA\x18");
    const std::string part(4096, 'x');
    while (::send(fd, part.data(), part.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  Remote remote;
  remote.service->open_telnet(to(host), {80, 24}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.failure.has_value(); }));
  CHECK(remote.failure->message.find("262144") != std::string::npos);
  CHECK(remote.output == "hello");
}

TEST_CASE("telnet_channel: telnetd has its size and type and hears what is typed and resized") {
  if (!TelnetServer::is_installed()) {
    MESSAGE("skipped: inetutils-telnetd is not installed");
    return;
  }
  TelnetServer server(
      "trap 'stty size' WINCH\n"
      "echo \"<$TERM> $(stty size)\"\n"
      "while read -r line; do echo \"[$line]\"; [ \"$line\" = out ] && exit 3; done");
  server.serve_one();
  Remote remote;
  troupe::remote::TelnetOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.charset = troupe::remote::Charset::utf8;
  remote.service->open_telnet(options, {91, 33}, remote.opened());
  // telnetd asks for the type until it knows one, and has the size before the program runs.
  REQUIRE(remote.wait_for("33 91"));
  CHECK((remote.output.find("<ansi>") != std::string::npos ||
         remote.output.find("<xterm-256color>") != std::string::npos));
  REQUIRE(remote.channel->write("caf\xC3\xA9\r", 1).ok());
  CHECK(remote.wait_for("[caf\xC3\xA9]"));
  // The host echoes: what was typed is there once by its echo and once by the program.
  CHECK(remote.output.find("caf\xC3\xA9") != remote.output.rfind("caf\xC3\xA9"));
  REQUIRE(remote.channel->resize({100, 40}).ok());
  CHECK(remote.run_until([&] {
    if (remote.output.find("40 100") == std::string::npos && remote.channel->queued_bytes() == 0) {
      CHECK(remote.channel->write("x\r", 0).ok());  // a shell runs a trap between two reads
    }
    return remote.output.find("40 100") != std::string::npos;
  }));
  REQUIRE(remote.channel->write("out\r", 2).ok());
  CHECK(remote.run_until([&] { return remote.exit.has_value(); }));
  CHECK(remote.end_of_stream);
}

TEST_CASE("telnet_channel: ten thousand lines of telnetd come whole") {
  if (!TelnetServer::is_installed()) {
    MESSAGE("skipped: inetutils-telnetd is not installed");
    return;
  }
  TelnetServer server(
      "stty raw -echo; printf READY; head -c 1 >/dev/null; seq 1 10000; echo END; exec sleep 1000");
  server.serve_one();
  Remote remote;
  troupe::remote::TelnetOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  remote.service->open_telnet(options, {80, 24}, remote.opened());
  REQUIRE(remote.wait_for("READY"));
  remote.output.clear();
  REQUIRE(remote.channel->write("x", 1).ok());
  REQUIRE(remote.wait_for("END"));
  std::string wanted;
  for (int n = 1; n <= 10'000; ++n) {
    wanted += std::to_string(n) + "\n";
  }
  CHECK(remote.output.substr(0, wanted.size()) == wanted);
}
