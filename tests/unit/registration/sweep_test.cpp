// SPDX-License-Identifier: MIT
#include "registration/sweep.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#include "base/unique_fd.hpp"
#include "registration/files.hpp"
#include "registration/registration.hpp"
#include "temporary_directory.hpp"

using namespace troupe;
using namespace troupe::registration;
using namespace troupe::registration::test;

namespace {

/// A pid that no process has: of a child that is reaped.
int dead_pid() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  return pid;
}

/// A sibling directory of the test's own daemon.
struct Sibling {
  std::string path;

  Sibling(const TemporaryDirectory& root, const std::string& name) : path(root / name) {
    REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  }
  void file(const std::string& name, const std::string& text = "") const {
    write_file(path + '/' + name, text);
  }
  void registration(int pid) const {
    file("service.json", encode({.instance_id = "i",
                                 .pid = pid,
                                 .protocol = 7,
                                 .socket = socket_path(path),
                                 .token = "t",
                                 .features = {}}));
  }
  void age(int minutes = 11) const {
    const timespec times[2] = {{::time(nullptr) - minutes * 60, 0},
                               {::time(nullptr) - minutes * 60, 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  }
};

struct Sweep {
  TemporaryDirectory root;
  std::atomic<bool> stop = false;
  std::size_t run() { return sweep_siblings(root / "own", stop); }
};

}  // namespace

//
TEST_CASE("sweep: an abandoned sibling goes with its socket") {
  Sweep sweep;
  const Sibling sibling(sweep.root, "dead");
  sibling.file("service.lock");
  sibling.file("service.abc.tmp");
  sibling.registration(dead_pid());
  REQUIRE(ensure_private_directory(socket_directory()).ok());
  {
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = socket_path(sibling.path);
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  }
  sibling.age();
  CHECK(sweep.run() == 1);
  CHECK_FALSE(exists(sibling.path));
  CHECK_FALSE(exists(socket_path(sibling.path)));
}

//
TEST_CASE("sweep: what a killed daemon keeps beside its files goes with them") {
  Sweep sweep;
  const Sibling sibling(sweep.root, "dead");
  sibling.file("service.lock");
  sibling.registration(dead_pid());
  REQUIRE(::symlink("/etc", (sibling.path + "/agent.sock").c_str()) == 0);
  REQUIRE(::symlink("/etc", (sibling.path + "/agent.sock.new").c_str()) == 0);
  const std::string integration = sibling.path + "/shell-integration";
  REQUIRE(::mkdir(integration.c_str(), 0700) == 0);
  REQUIRE(::mkdir((integration + "/bash").c_str(), 0700) == 0);
  write_file(integration + "/bash/rc.bash", "");
  REQUIRE(::symlink("/etc", (integration + "/link").c_str()) == 0);
  REQUIRE(::mknod((sibling.path + "/metrics.sock").c_str(), S_IFSOCK | 0600, 0) == 0);
  sibling.age();
  CHECK(sweep.run() == 1);
  CHECK_FALSE(exists(sibling.path));
  CHECK(exists("/etc/passwd"));
}

TEST_CASE("sweep: a file under the name of a link or a directory is somebody else's") {
  Sweep sweep;
  for (const char* name : {"agent.sock", "shell-integration", "metrics.sock"}) {
    const Sibling sibling(sweep.root, name);
    sibling.file("service.lock");
    sibling.registration(dead_pid());
    sibling.file(name, "mine");
    sibling.age();
  }
  CHECK(sweep.run() == 0);
}

TEST_CASE("sweep: without a lock file the registered process decides") {
  Sweep sweep;
  const Sibling dead(sweep.root, "dead");
  dead.registration(dead_pid());
  dead.age();
  const Sibling alive(sweep.root, "alive");
  alive.registration(::getpid());
  alive.age();
  const Sibling unknown(sweep.root, "unknown");
  unknown.file("service.json", "not json");
  unknown.age();
  const Sibling half(sweep.root, "half");
  half.file("service.x.tmp");
  half.age();
  CHECK(sweep.run() == 1);
  CHECK_FALSE(exists(dead.path));
  CHECK(exists(alive.path + "/service.json"));
  CHECK(exists(unknown.path + "/service.json"));
  CHECK(exists(half.path + "/service.x.tmp"));
  CHECK_FALSE(exists(alive.path + "/service.lock"));
}

//
TEST_CASE("sweep: the living the young the foreign and the empty stay") {
  Sweep sweep;
  const Sibling own(sweep.root, "own");
  own.file("service.lock");
  own.age();
  const Sibling locked(sweep.root, "locked");
  locked.file("service.lock");
  locked.registration(dead_pid());
  locked.age();
  const UniqueFd lock(::open((locked.path + "/service.lock").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::flock(lock.get(), LOCK_EX) == 0);
  const Sibling young(sweep.root, "young");
  young.file("service.lock");
  young.age(9);
  const Sibling foreign(sweep.root, "foreign");
  foreign.file("service.lock");
  foreign.file("notes.txt");
  foreign.age();
  const Sibling nested(sweep.root, "nested");
  nested.file("service.lock");
  REQUIRE(::mkdir((nested.path + "/service.x.tmp").c_str(), 0700) == 0);
  nested.age();
  const Sibling empty(sweep.root, "empty");
  empty.age();
  const Sibling links(sweep.root, "links");
  REQUIRE(::symlink("/etc/passwd", (links.path + "/service.lock").c_str()) == 0);
  links.age();
  const TemporaryDirectory elsewhere;
  const Sibling target(elsewhere, "target");
  target.file("service.lock");
  target.age();
  REQUIRE(::symlink(target.path.c_str(), (sweep.root / "link").c_str()) == 0);
  CHECK(sweep.run() == 0);
  for (const auto* sibling : {&own, &locked, &young, &foreign, &nested, &empty, &links, &target}) {
    CAPTURE(sibling->path);
    CHECK(exists(sibling->path));
  }
  CHECK(exists(target.path + "/service.lock"));
}

TEST_CASE("sweep: it ends early when it is told to") {
  Sweep sweep;
  const Sibling sibling(sweep.root, "dead");
  sibling.file("service.lock");
  sibling.age();
  sweep.stop = true;
  CHECK(sweep.run() == 0);
  CHECK(exists(sibling.path));
}
