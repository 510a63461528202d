// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "client.hpp"
#include "daemon_process.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

constexpr auto raw_cat = "stty raw -echo; printf READY; exec cat";

void write(const DaemonProcess& daemon, TerminalId id, std::string data) {
  request::Write write;
  write.id = id;
  write.data = std::move(data);
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, write)));
}

request::Subscribe subscribe_to(TerminalId id, std::string attachment = "a") {
  request::Subscribe subscribe;
  subscribe.id = id;
  subscribe.attachment_id = std::move(attachment);
  return subscribe;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("service: a shell's output reaches a subscriber and its exit is the last event") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "printf hello; read x; printf 'bye %s' $x; exit 3");
  Client stream{daemon};
  stream.send(subscribe_to(id));
  CHECK(std::holds_alternative<reply::Attached>(stream.read_message().response));
  write(daemon, id, "you\n");
  stream.read_output_until("bye you");
  const auto exited = std::get<protocol::event::Exited>(stream.read_message().response);
  CHECK(exited.exit_code == 3);
  CHECK_FALSE(stream.read());
}

TEST_CASE("service: a paste into a program that does not read arrives whole when it does") {
  DaemonProcess daemon;
  std::string const target = daemon.directory() + "-received";
  const TerminalId id =
      create_shell(daemon, "stty raw -echo; printf READY; while [ ! -e " + target +
                               ".go ]; do sleep 0.05; done; " + "head -c 1000000 > " + target +
                               "; printf DONE; sleep 1000");
  const TerminalId other = create_shell(daemon, raw_cat);
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  REQUIRE(wait_until([&] { return replay_of(daemon, other) == "READY"; }));
  std::string data;
  for (int i = 0; data.size() < 1'000'000; ++i) {
    data += std::to_string(i) + ",";
  }
  data.resize(1'000'000);
  write(daemon, id, data);
  write(daemon, other, "alive");
  CHECK(wait_until([&] { return replay_of(daemon, other) == "READYalive"; }));
  std::ofstream{target + ".go"}.flush();
  CHECK(wait_until([&] { return replay_of(daemon, id) == "READYDONE"; }));
  CHECK(read_file(target) == data);
  std::filesystem::remove(target);
  std::filesystem::remove(target + ".go");
}

TEST_CASE("service: children of a creation storm have their terminal and nothing else") {
  DaemonProcess daemon;
  constexpr auto script = "for f in /proc/$$/fd/*; do readlink $f; done; exec sleep 1000";
  std::vector<TerminalId> ids(24);
  std::vector<std::thread> workers;
  for (std::size_t worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&, worker] {
      for (std::size_t i = worker; i < ids.size(); i += 4) {
        ids[i] = create_shell(daemon, script);
      }
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  for (const TerminalId id : ids) {
    std::string printed;
    REQUIRE(wait_until([&] {
      printed = replay_of(daemon, id);
      return std::count(printed.begin(), printed.end(), '\n') >= 3;
    }));
    CHECK(printed.find("socket") == std::string::npos);
    CHECK(printed.find("ptmx") == std::string::npos);
    CHECK(printed.find("anon_inode") == std::string::npos);
  }
}

TEST_CASE("service: a terminal that is gone says what it was") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "exec sleep 1000");
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, request::Terminate{id, false})));
  const auto error = ask_for<reply::Error>(daemon, request::Snapshot{id, {}});
  CHECK(error.message.find("not found") != std::string::npos);
  CHECK(error.message.find("terminated") != std::string::npos);
  const auto ledger = ask_for<reply::Ledger>(daemon, request::Ledger{});
  REQUIRE(ledger.terminals.size() == 1);
  CHECK(ledger.terminals[0].id == id);
  CHECK(ledger.terminals[0].signal == "SIGHUP");
}
