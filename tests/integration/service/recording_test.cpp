// SPDX-License-Identifier: MIT

/// @file
/// Recordings of real shells on a real disk.

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "client.hpp"
#include "daemon_process.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
namespace fs = std::filesystem;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

request::Create recorded(const std::string& script, std::optional<std::string> path) {
  request::Create create;
  create.program = "/bin/sh";
  create.args = {"-c", script};
  create.cwd = "/";
  create.title = create.group_id = "g";
  create.label = "login";
  create.recording = protocol::RecordingTarget{std::move(path)};
  return create;
}

void type(const DaemonProcess& daemon, TerminalId id, const std::string& data) {
  request::Write write;
  write.id = id;
  write.data = data;
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, write)));
}

bool prints(const DaemonProcess& daemon, TerminalId id, const std::string& wanted) {
  return wait_until([&] { return replay_of(daemon, id).find(wanted) != std::string::npos; });
}

constexpr auto asks_for_a_password =
    "printf 'Name: '; read name; stty -echo; printf 'Enter it> '; read secret; stty echo; "
    "echo thanks; exit 3";

}  // namespace

TEST_CASE("recording: what is typed unseen is not in the file and the rest is") {  // A-60 A-61
  DaemonProcess daemon;
  std::string const path = daemon.directory() + "-login.jsonl";
  const auto created = ask_for<reply::Created>(daemon, recorded(asks_for_a_password, path));
  const TerminalId id = created.terminal.id;
  CHECK(created.terminal.recording == path);
  REQUIRE(prints(daemon, id, "Name: "));
  type(daemon, id, "joe\r");
  REQUIRE(prints(daemon, id, "Enter it> "));
  type(daemon, id, "hunter2\r");
  REQUIRE(prints(daemon, id, "thanks"));
  std::string text;
  REQUIRE(wait_until([&] {
    text = read_file(path);
    return text.find("terminal_stop") != std::string::npos;
  }));
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.find(R"("action":"terminal_start")") < text.find(R"("keys":"joe\r")"));
  CHECK(text.find(R"("keys":"joe\r")") < text.find(R"("keys":"***")"));
  CHECK(text.find(R"("keys":"***")") < text.find("thanks"));
  CHECK(text.find(R"("reason":"eof","exit_code":3)") != std::string::npos);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  fs::remove(path);
}

TEST_CASE("recording: without a path it goes to the recordings' directory") {
  DaemonProcess unrelated;
  std::string const directory = unrelated.directory() + "-recordings";
  REQUIRE(::setenv("TROUPE_RECORDINGS_DIR", directory.c_str(), 1) == 0);
  DaemonProcess daemon;
  ::unsetenv("TROUPE_RECORDINGS_DIR");
  const auto created = ask_for<reply::Created>(daemon, recorded("exec cat", {}));
  REQUIRE(created.terminal.recording);
  CHECK(created.terminal.recording->starts_with(directory + "/"));
  CHECK(created.terminal.recording->ends_with("-login.jsonl"));
  REQUIRE(wait_until([&] { return fs::exists(*created.terminal.recording); }));
  daemon.signal(15);
  REQUIRE(daemon.wait_exit() == 0);
  CHECK(read_file(*created.terminal.recording).find("terminal_stop") != std::string::npos);
  fs::remove_all(directory);
}

TEST_CASE("recording: record starts and stops it at any time") {
  DaemonProcess daemon;
  std::string const path = daemon.directory() + "-later.jsonl";
  const TerminalId id = create_shell(daemon, "printf BEFORE; exec cat");
  REQUIRE(prints(daemon, id, "BEFORE"));
  request::Record start{id, request::RecordingChange{protocol::RecordingTarget{path}}, {}};
  CHECK(ask_for<reply::Recording>(daemon, start).active);
  CHECK(ask_for<reply::Error>(daemon, start).code == Code::busy);
  type(daemon, id, "during\r");
  REQUIRE(prints(daemon, id, "during"));
  const auto stopped =
      ask_for<reply::Recording>(daemon, request::Record{id, request::RecordingChange{}, {}});
  CHECK_FALSE(stopped.active);
  CHECK(stopped.path == path);
  CHECK(ask_for<reply::Terminals>(daemon, request::List{}).terminals.at(0).last_recording == path);
  const std::string text = read_file(path);
  CHECK(text.find("BEFORE") == std::string::npos);
  CHECK(text.find("during") != std::string::npos);
  CHECK(text.find(R"("reason":"closed")") != std::string::npos);
  // A recording never replaces a file.
  CHECK(ask_for<reply::Error>(daemon, start).code == Code::io);
  CHECK(read_file(path) == text);
  fs::remove(path);
}

TEST_CASE("recording: at its ceiling it has a stop row still and the terminal goes on") {
  DaemonProcess unrelated;
  REQUIRE(::setenv("TROUPE_RECORDING_MAX_BYTES", "8192", 1) == 0);
  DaemonProcess daemon;
  ::unsetenv("TROUPE_RECORDING_MAX_BYTES");
  std::string const path = daemon.directory() + "-small.jsonl";
  const auto created = ask_for<reply::Created>(
      daemon, recorded("stty -echo; while read line; do seq 1 500; echo more; done", path));
  for (int round = 0; round < 4; ++round) {
    type(daemon, created.terminal.id, "go\r");
  }
  REQUIRE(wait_until([&] {
    const std::string text = replay_of(daemon, created.terminal.id);
    std::size_t rounds = 0;
    for (auto at = text.find("more"); at != std::string::npos; at = text.find("more", at + 1)) {
      ++rounds;
    }
    return rounds == 4;
  }));
  ask_for<reply::Recording>(daemon,
                            request::Record{created.terminal.id, request::RecordingChange{}, {}});
  const std::string text = read_file(path);
  CHECK(text.size() <= 8192);
  CHECK(text.find(R"("action":"recording_truncated","limit_bytes":8192)") != std::string::npos);
  CHECK(text.find(R"("action":"terminal_stop")") != std::string::npos);
  // All may have come in one row, whose beginning stands in the file.
  CHECK(text.find(R"("dropped_bytes":0)") == std::string::npos);
  fs::remove(path);
}

TEST_CASE("recording: a disk that takes no more ends it after a whole row and nothing else") {
  DaemonProcess unrelated;
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const rlimit small{16'384, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  DaemonProcess daemon;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  std::string const path = daemon.directory() + "-full.jsonl";
  const auto created = ask_for<reply::Created>(daemon, recorded("seq 1 20000; exec cat", path));
  const TerminalId id = created.terminal.id;
  CHECK(wait_until([&] {
    const auto info = ask_for<reply::Terminals>(daemon, request::List{}).terminals.at(0);
    return !info.recording && info.last_recording == path;
  }));
  type(daemon, id, "alive\r");
  CHECK(prints(daemon, id, "alive"));
  const std::string text = read_file(path);
  CHECK(text.size() <= 16'384);
  CHECK(text.ends_with("}\n"));
  fs::remove(path);
}

TEST_CASE("recording: a place that cannot be written costs the recording only") {  // A-62
  DaemonProcess daemon{Kind::standalone, {"--log-level", "warn"}};
  const auto created =
      ask_for<reply::Created>(daemon, recorded("exec cat", "/nonexistent/place/x.jsonl"));
  const TerminalId id = created.terminal.id;
  CHECK(wait_until([&] {
    return !ask_for<reply::Terminals>(daemon, request::List{}).terminals.at(0).recording;
  }));
  type(daemon, id, "alive\r");
  CHECK(prints(daemon, id, "alive"));
  CHECK(wait_until([&] { return daemon.printed().find("recording") != std::string::npos; }));
}
