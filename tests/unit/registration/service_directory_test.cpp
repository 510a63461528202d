// SPDX-License-Identifier: MIT
#include "registration/service_directory.hpp"

#include <doctest/doctest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/unique_fd.hpp"
#include "registration/files.hpp"
#include "temporary_directory.hpp"

using namespace troupe;
using namespace troupe::registration;
using namespace troupe::registration::test;

namespace {

UniqueFd listen_at(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.data(), path.size());
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  REQUIRE(::listen(fd.get(), 1) == 0);
  return fd;
}

Registration registration_of(const ServiceDirectory& directory, const std::string& instance) {
  return {.instance_id = instance,
          .pid = ::getpid(),
          .protocol = 7,
          .socket = directory.socket_path(),
          .token = "t",
          .features = {}};
}

}  // namespace

//
TEST_CASE("service_directory: it is made with parents and is private whatever it was") {
  const TemporaryDirectory root;
  const mode_t umask_before = ::umask(0277);
  const auto path = root / "a/b/name";
  auto directory = ServiceDirectory::take(path);
  ::umask(umask_before);
  REQUIRE(directory.ok());
  CHECK(directory->path() == path);
  CHECK(mode_of(path) == 0700);
  CHECK(mode_of(root / "a") == 0700);
  CHECK(exists(path + "/service.lock"));
  const auto loose = root / "loose";
  REQUIRE(::mkdir(loose.c_str(), 0755) == 0);
  REQUIRE(::chmod(loose.c_str(), 0777) == 0);
  REQUIRE(ServiceDirectory::take(loose).ok());
  CHECK_FALSE(exists(loose));
}

//
TEST_CASE("service_directory: one process at a time has the lock even when its file is moved") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  auto directory = ServiceDirectory::take(path);
  REQUIRE(directory.ok());
  const auto second = ServiceDirectory::take(path);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Code::busy);
  CHECK(second.error().message.find(path + "/service.lock") != std::string::npos);
  // A client takes the files over into its own directory: the lock goes with them.
  REQUIRE(::mkdir((root / "moved").c_str(), 0700) == 0);
  REQUIRE(::rename((path + "/service.lock").c_str(), (root / "moved/service.lock").c_str()) == 0);
  CHECK(ServiceDirectory::take(root / "moved").error().code == Code::busy);
}

//
TEST_CASE("service_directory: publishing is atomic and private and withdrawn before the rest") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  {
    auto directory = ServiceDirectory::take(path);
    REQUIRE(directory.ok());
    CHECK_FALSE(directory->adopt_socket().ok());
    const auto listener = listen_at(directory->socket_path());
    REQUIRE(directory->adopt_socket().ok());
    CHECK(mode_of(directory->socket_path()) == 0600);
    const mode_t umask_before = ::umask(0);
    REQUIRE(directory->publish(registration_of(*directory, "one")).ok());
    ::umask(umask_before);
    CHECK(mode_of(path + "/service.json") == 0600);
    CHECK_FALSE(exists(path + "/service.one.tmp"));
    CHECK(load_registration(path)->socket == directory->socket_path());
    directory->withdraw();
    CHECK_FALSE(exists(path + "/service.json"));
    CHECK(exists(directory->socket_path()));
    CHECK(exists(path + "/service.lock"));
  }
  CHECK_FALSE(exists(path));
  CHECK_FALSE(exists(socket_path(path)));
}

TEST_CASE("service_directory: only what is still ours is removed") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  std::string socket;
  UniqueFd successor;
  {
    auto directory = ServiceDirectory::take(path);
    REQUIRE(directory.ok());
    socket = directory->socket_path();
    UniqueFd listener = listen_at(socket);
    REQUIRE(directory->adopt_socket().ok());
    REQUIRE(directory->publish(registration_of(*directory, "one")).ok());
    // A successor has replaced everything.
    auto other = registration_of(*directory, "two");
    write_file(path + "/service.json", encode(other));
    REQUIRE(::unlink(socket.c_str()) == 0);
    successor = listen_at(socket);
    REQUIRE(::unlink((path + "/service.lock").c_str()) == 0);
    write_file(path + "/service.lock", "");
  }
  CHECK(load_registration(path)->instance_id == "two");
  CHECK(exists(socket));
  CHECK(exists(path + "/service.lock"));
  REQUIRE(::unlink(socket.c_str()) == 0);
}

TEST_CASE("service_directory: a foreign file keeps the directory but not ours in it") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  {
    auto directory = ServiceDirectory::take(path);
    REQUIRE(directory.ok());
    REQUIRE(directory->publish(registration_of(*directory, "one")).ok());
    write_file(path + "/notes.txt", "mine");
  }
  CHECK(exists(path + "/notes.txt"));
  CHECK_FALSE(exists(path + "/service.json"));
  CHECK_FALSE(exists(path + "/service.lock"));
}

TEST_CASE("service_directory: what a killed daemon left is cleared at the next start") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  write_file(path + "/service.lock", "");
  write_file(path + "/service.dead.tmp", "half");
  write_file(path + "/service.json", "of the dead one");
  REQUIRE(ensure_private_directory(socket_directory()).ok());
  { const auto stale = listen_at(socket_path(path)); }
  REQUIRE(exists(socket_path(path)));
  auto directory = ServiceDirectory::take(path);
  REQUIRE(directory.ok());
  CHECK_FALSE(exists(directory->socket_path()));
  CHECK_FALSE(exists(path + "/service.dead.tmp"));
  CHECK_FALSE(exists(path + "/service.json"));
}

TEST_CASE("service_directory: the same socket is found through symbolic links") {
  const TemporaryDirectory root;
  REQUIRE(::mkdir((root / "real").c_str(), 0700) == 0);
  REQUIRE(::symlink((root / "real").c_str(), (root / "link").c_str()) == 0);
  const auto through = ServiceDirectory::take(root / "link/name");
  REQUIRE(through.ok());
  CHECK(through->path() == root / "real/name");
  CHECK(through->socket_path() == socket_path(root / "real/name"));
}

TEST_CASE("service_directory: a lock that is a symbolic link is refused") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  write_file(root / "victim", "");
  REQUIRE(::symlink((root / "victim").c_str(), (path + "/service.lock").c_str()) == 0);
  CHECK(ServiceDirectory::take(path).error().code == Code::io);
}

//
TEST_CASE("service_directory: of processes that start and leave together each has it alone") {
  const TemporaryDirectory root;
  const auto path = root / "name";
  // Each child holds a second lock of its own on `witness` while it has the directory; two at once
  // would be seen there.
  write_file(root / "witness", "");
  constexpr int children = 6;
  for (int child = 0; child < children; ++child) {
    if (::fork() == 0) {
      int taken = 0;
      while (taken < 30) {
        auto directory = ServiceDirectory::take(path);
        if (!directory) {
          if (directory.error().code != Code::busy) {
            ::_exit(2);
          }
          continue;
        }
        const UniqueFd witness(::open((root / "witness").c_str(), O_RDWR | O_CLOEXEC));
        if (::flock(witness.get(), LOCK_EX | LOCK_NB) != 0) {
          ::_exit(3);
        }
        ++taken;
      }
      ::_exit(0);
    }
  }
  for (int child = 0; child < children; ++child) {
    int status = -1;
    REQUIRE(::wait(&status) > 0);
    CHECK(status == 0);
  }
  CHECK_FALSE(exists(path));
}

//
TEST_CASE("files: a hostile socket directory is refused with its path and the remedy") {
  const TemporaryDirectory root;
  const auto path = root / "sockets";
  const auto refused = [&](const char* why) {
    const auto result = ensure_private_directory(path);
    CAPTURE(why);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find(path) != std::string::npos);
    CHECK(result.error().message.find(why) != std::string::npos);
    CHECK(result.error().message.find("remove it") != std::string::npos);
  };
  REQUIRE(ensure_private_directory(path).ok());
  REQUIRE(ensure_private_directory(path).ok());
  for (const mode_t mode : {0755U, 0710U, 0777U, 0500U}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    refused("mode");
    CHECK(mode_of(path) == mode);
  }
  if (::geteuid() == 0) {
    REQUIRE(::chmod(path.c_str(), 0700) == 0);
    REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
    refused("uid 12345");
  }
  REQUIRE(::rmdir(path.c_str()) == 0);
  REQUIRE(::symlink(root.path().c_str(), path.c_str()) == 0);
  refused("symbolic link");
  REQUIRE(::unlink(path.c_str()) == 0);
  write_file(path, "");
  refused("not a directory");
}
