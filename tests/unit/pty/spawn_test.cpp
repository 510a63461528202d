// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "pty_harness.hpp"

using namespace troupe;
using namespace troupe::pty;
using namespace troupe::pty::test;

namespace {

/// A directory that is removed at the end.
struct TemporaryDirectory {
  std::filesystem::path path;
  TemporaryDirectory() {
    std::string name = "/tmp/troupe-pty-test-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string script(const std::string& name, const std::string& text, mode_t mode = 0755) const {
    std::ofstream(path / name) << text;
    REQUIRE(::chmod((path / name).c_str(), mode) == 0);
    return path / name;
  }
};

std::string run(Harness& harness, LaunchSpec spec) {
  auto& terminal = harness.terminal(std::move(spec));
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  return terminal.output;
}

}  // namespace

TEST_CASE("spawn: a child runs on its terminal and both of its ends are told") {
  Harness harness;
  auto& terminal = harness.shell("printf 'hello '; tty >/dev/null && printf tty; exit 3");
  CHECK(terminal.channel->pid().value_or(0) > 0);
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK(terminal.output == "hello tty");
  CHECK(terminal.exit->exit_code == 3);
  CHECK_FALSE(terminal.exit->signal.has_value());
  CHECK_FALSE(terminal.end->forced);
  CHECK_FALSE(terminal.failure.has_value());
  CHECK_FALSE(terminal.channel->pid().has_value());
}

TEST_CASE("spawn: a death by signal carries the signal") {
  Harness harness;
  auto& terminal = harness.shell("kill -KILL $$");
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK(terminal.exit->signal == SIGKILL);
  CHECK_FALSE(terminal.exit->exit_code.has_value());
  CHECK(terminal.exit->shell_code() == 137);
}

// PT-4
TEST_CASE("spawn: what cannot be executed is told with the kernel's words and leaves nothing") {
  Harness harness;
  const TemporaryDirectory directory;
  const auto plain = directory.script("plain", "#!/bin/sh\n", 0644);
  const auto bad = directory.script("bad", "#!/no/such/interpreter\n");
  const auto before = open_descriptors();
  const auto message = [&](LaunchSpec spec) {
    auto result = harness.open(std::move(spec));
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::io);
    return result.error().message;
  };
  CHECK(message(command("no-such-program")) ==
        "failed to spawn no-such-program: No such file or directory");
  CHECK(message(command("/no/such/program")) ==
        "failed to spawn /no/such/program: No such file or directory");
  CHECK(message(command("/tmp")) == "failed to spawn /tmp: Permission denied");
  CHECK(message(command("/etc/passwd/x")) == "failed to spawn /etc/passwd/x: Not a directory");
  CHECK(message(command(plain)) == "failed to spawn " + plain + ": Permission denied");
  // Found but not executable by the kernel: the error comes out of the child.
  CHECK(message(command(bad)) == "failed to spawn " + bad + ": No such file or directory");
  auto huge = command("/bin/true", {std::string(4U * 1024 * 1024, 'x')});
  CHECK(message(huge) == "failed to spawn /bin/true: Argument list too long");
  CHECK(zombies().empty());
  CHECK(open_descriptors() == before);
}

TEST_CASE("spawn: PATH is the child's and a relative program starts at cwd") {
  Harness harness;
  const TemporaryDirectory directory;
  directory.script("troupe-probe", "#!/bin/sh\nprintf 'probe %s' \"$0\"\n");
  auto spec = command("troupe-probe");
  spec.env = {{"PATH", directory.path}};
  CHECK(run(harness, spec).starts_with("probe "));
  spec = command("./troupe-probe");
  spec.cwd = directory.path;
  CHECK(run(harness, spec).starts_with("probe "));
}

TEST_CASE("spawn: argv is kept byte for byte and argv 0 is the program as it was given") {
  Harness harness;
  auto spec = command("sh", {"-c", "printf '[%s]' \"$0\" \"$@\"", "zero", "with spaces", "a\"q", "",
                             "trailing \\", "\xe7\x95\x8c", "$HOME", "*"});
  CHECK(run(harness, spec) == "[zero][with spaces][a\"q][][trailing \\][\xe7\x95\x8c][$HOME][*]");
  CHECK(run(harness, command("sh", {"-c", "tr '\\0' ' ' </proc/$$/cmdline"})).starts_with("sh -c"));
}

TEST_CASE("spawn: a script without an interpreter line is the shell's") {
  Harness harness;
  const TemporaryDirectory directory;
  const auto path = directory.script("bare", "printf 'bare %s' \"$1\"\n");
  CHECK(run(harness, command(path, {"arg"})) == "bare arg");
}

TEST_CASE("spawn: a cwd that cannot be entered falls back to the child's home") {
  Harness harness;
  const TemporaryDirectory home;
  for (const char* cwd : {"", "/no/such", "relative", "/etc/passwd"}) {
    auto spec = command("/bin/pwd", {"-P"});
    spec.cwd = cwd;
    spec.env = {{"HOME", home.path}};
    CAPTURE(cwd);
    CHECK(run(harness, spec) == std::filesystem::canonical(home.path).string() + "\r\n");
  }
  auto spec = command("/bin/pwd", {"-P"});
  spec.cwd = "/no/such";
  spec.env = {{"HOME", "/no/home"}};
  CHECK(run(harness, spec) == "/\r\n");
}

TEST_CASE("spawn: the terminal has its size before the program starts") {
  Harness harness;
  auto spec = command("/bin/stty", {"size"});
  spec.size = {.cols = 123, .rows = 45};
  CHECK(run(harness, spec) == "45 123\r\n");
}

TEST_CASE("spawn: the child leads a session whose foreground it is and has no signal blocked") {
  // Like a daemon: SIGPIPE ignored, others blocked.
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigaddset(&blocked, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  Harness harness;
  const auto masks =
      run(harness, command("/bin/grep", {"-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGPIPE, previous);
  CHECK(masks == "SigBlk:\t0000000000000000\r\nSigIgn:\t0000000000000000\r\n");
  const auto ids =
      run(harness, shell_command("ps -o pid=,pgid=,sid=,tpgid= -p $$; printf 'pid=%s' $$"));
  const auto pid = std::to_string(number_after(ids, "pid="));
  std::size_t same = 0;
  for (auto at = ids.find(pid); at != std::string::npos; at = ids.find(pid, at + 1)) {
    ++same;
  }
  CHECK(same == 5);
}

TEST_CASE("spawn: job control works in an interactive shell") {
  Harness harness;
  auto spec = command("/bin/sh", {"-ic", "sleep 100 & jobs; kill -KILL %1; wait; echo done-$?"});
  const auto output = run(harness, spec);
  CHECK(output.find("no job control") == std::string::npos);
  CHECK(output.find("can't access tty") == std::string::npos);
  CHECK(output.find("Running") != std::string::npos);
  CHECK(output.find("done-") != std::string::npos);
}

TEST_CASE("spawn: control c reaches the foreground job") {
  Harness harness;
  auto& terminal =
      harness.shell("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 1; done");
  REQUIRE(harness.run_until([&] { return terminal.shows("ready"); }));
  CHECK(terminal.channel->write("\x03", 0).ok());
  REQUIRE(harness.run_until([&] { return terminal.over(); }));
  CHECK(terminal.shows("caught"));
  CHECK(terminal.exit->exit_code == 5);
}

// PT-2
TEST_CASE("spawn: no descriptor of the daemon reaches a child in a storm of launches") {
  Harness harness;
  // Descriptors without CLOEXEC, as a careless library leaves them.
  int careless[2];
  REQUIRE(::pipe(careless) == 0);
  constexpr int count = 150;
  int opened = 0;
  std::vector<Terminal*> storm;
  for (int i = 0; i < count; ++i) {
    harness.service->open(command("/bin/ls", {"/proc/self/fd"}), [&](auto result) {
      REQUIRE(result.ok());
      ++opened;
      harness.terminals.push_back(std::make_unique<Terminal>());
      storm.push_back(harness.terminals.back().get());
      storm.back()->channel = std::move(result).value();
      storm.back()->start();
    });
  }
  REQUIRE(harness.run_until([&] {
    return opened == count &&
           std::all_of(storm.begin(), storm.end(), [](auto* terminal) { return terminal->over(); });
  }));
  ::close(careless[0]);
  ::close(careless[1]);
  for (const auto* terminal : storm) {
    // ls itself opens the directory as 3.
    CHECK(terminal->output == "0  1  2  3\r\n");
  }
}

TEST_CASE("spawn: children get the asked limit of open files") {
  Harness harness({.child_open_files = 256});
  CHECK(run(harness, shell_command("ulimit -Sn")) == "256\r\n");
}

// PT-8
TEST_CASE("spawn: neither descriptors nor zombies are left behind by terminals that ended") {
  Harness harness;
  harness.shell("exit 0");
  REQUIRE(harness.run_until([&] { return harness.terminals.back()->over(); }));
  const auto before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    auto& terminal = harness.shell("exit 0");
    REQUIRE(harness.run_until([&] { return terminal.over(); }));
  }
  // The channels are still there; only their processes and descriptors are gone.
  CHECK(harness.run_until([&] { return zombies().empty() && open_descriptors() <= before; }));
  CHECK(harness.terminals.size() == 21);
}

TEST_CASE("spawn: a service that is destroyed with launches under way leaves no process") {
  auto harness = std::make_unique<Harness>();
  for (int i = 0; i < 20; ++i) {
    harness->service->open(command("/bin/sleep", {"1000"}), [](auto) { FAIL("called too late"); });
  }
  harness->service.reset();
  harness.reset();
}
