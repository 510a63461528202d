// SPDX-License-Identifier: MIT
#include "client/client.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "client/daemon_start.hpp"
#include "fake_daemon.hpp"

using namespace troupe;
using client::Client;
using client::DaemonAddress;
namespace fs = std::filesystem;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

/// A directory of daemons' registrations, with one in it.
struct Root {
  fs::path path;

  explicit Root(const registration::Registration& registration) {
    std::string pattern = (fs::temp_directory_path() / "troupe-root-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
    fs::create_directory(path / "d");
    const fs::path file = path / "d" / "service.json";
    std::ofstream(file) << registration::encode(registration);
    ::chmod(file.c_str(), 0600);
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  ~Root() { fs::remove_all(path); }
};

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

}  // namespace

TEST_CASE("client: a daemon that is not registered is not found and its place is named") {
  const auto client = Client::open(DaemonAddress{"nobody-here", "/nonexistent"});
  REQUIRE_FALSE(client);
  CHECK(client.error().code == Code::not_found);
  CHECK(client.error().message.find("nobody-here") != std::string::npos);
}

TEST_CASE("client: C-9 another protocol version is named and nothing is connected") {
  registration::Registration other;
  other.instance_id = std::string(32, 'a');
  other.token = std::string(32, 'b');
  other.pid = 1;
  other.protocol = 8;
  other.socket = "/nonexistent";
  const Root root(other);
  const auto client = Client::open(DaemonAddress{"d", root.path.string()});
  REQUIRE_FALSE(client);
  CHECK(client.error().code == Code::unsupported);
  CHECK(client.error().message.find("version 8") != std::string::npos);
}

TEST_CASE("client: calls to an older daemon take a connection each") {
  int connections = 0;
  {
    test::FakeDaemon daemon({}, [&connections](test::FakeDaemon::Peer& peer) {
      const auto asked = peer.receive();
      if (asked.token) {
        ++connections;
        peer.send(reply::Pong{"a", 1, 7, {}}, asked);
      }
    });
    const Root root(daemon.registration());
    auto client = Client::open(DaemonAddress{"d", root.path.string()});
    REQUIRE(client);
    CHECK(client->ask<reply::Pong>(request::Ping{}));
    CHECK(client->ask<reply::Pong>(request::Ping{}));
    const auto wrong = client->ask<reply::Handoff>(request::Ping{});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == Code::internal);
  }
  CHECK(connections == 3);
}

TEST_CASE("client: a daemon that cannot be started is an error that says why") {
  const Root root(registration::Registration{});
  client::StartOptions options;
  options.command = {"/bin/sh", "-c", "echo 'error: no such thing' >&2; exit 1"};
  const auto client = client::find_or_start(DaemonAddress{"other", root.path.string()}, options);
  REQUIRE_FALSE(client);
  CHECK(client.error().message.find("no such thing") != std::string::npos);
  CHECK_FALSE(has_children());
}

TEST_CASE(
    "client: C-14 a started daemon is used as soon as it is registered and is nobody's child") {
  test::FakeDaemon daemon({}, [](test::FakeDaemon::Peer& peer) {
    peer.send(reply::Pong{"a", 1, 7, {}}, peer.receive());
  });
  const Root root(daemon.registration());
  const std::string from = (root.path / "d" / "service.json").string();
  const std::string directory = (root.path / "late").string();
  client::StartOptions options;
  options.command = {"/bin/sh", "-c",
                     "mkdir -m 700 " + directory + " && cp -p " + from + " " + directory +
                         "/service.new.tmp && mv " + directory + "/service.new.tmp " + directory +
                         "/service.json && exec sleep 100"};
  auto client = client::find_or_start(DaemonAddress{"late", root.path.string()}, options);
  REQUIRE(client);
  // A program that lives longer than the daemon would have to reap it.
  CHECK_FALSE(has_children());
  CHECK(client->ask<reply::Pong>(request::Ping{}));
}

TEST_CASE("client: the end of a process is an event and a missing one is over already") {
  CHECK(client::wait_process_end(999'999'999, client::after(std::chrono::seconds{5})));
}
