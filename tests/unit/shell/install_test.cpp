// SPDX-License-Identifier: MIT
#include "shell/install.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "shell/launch_plan.hpp"
#include "tests/support/pty_child.hpp"

namespace troupe::shell {

namespace {

unsigned mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("install: writes every file for its owner alone and replaces it the next time") {
  const test::TemporaryDirectory root;
  const std::string directory = root.path() + "/shell";
  for (int round = 0; round < 2; ++round) {
    REQUIRE(install(directory).ok());
    CHECK(mode_of(directory) == 0700);
    for (const IntegrationFile& file : integration_files()) {
      CHECK(root.read("shell/" + file.path) == file.content);
      CHECK(mode_of(directory + "/" + file.path) == 0600);
    }
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      files += entry.is_regular_file() ? 1U : 0U;
    }
    CHECK(files == integration_files().size());
    root.write("shell/bash/rc.bash", "changed");
  }
}

TEST_CASE("install: SHELL-2 refuses a directory that is a link or that others can write") {
  const test::TemporaryDirectory root;
  std::filesystem::create_directory(root.path() + "/real");
  std::filesystem::create_directory_symlink(root.path() + "/real", root.path() + "/link");
  CHECK(install(root.path() + "/link").error().code == Code::io);
  std::filesystem::permissions(root.path() + "/real", std::filesystem::perms::all);
  CHECK(install(root.path() + "/real").error().code == Code::io);
  CHECK(std::filesystem::is_empty(root.path() + "/real"));
  CHECK(install(root.path() + "/missing/deep").error().code == Code::io);
}

TEST_CASE("install: a file that is a link is replaced and not followed") {
  const test::TemporaryDirectory root;
  root.write("victim", "mine");
  std::filesystem::create_directories(root.path() + "/shell/bash");
  std::filesystem::permissions(root.path() + "/shell", std::filesystem::perms::owner_all);
  std::filesystem::permissions(root.path() + "/shell/bash", std::filesystem::perms::owner_all);
  std::filesystem::create_symlink(root.path() + "/victim", root.path() + "/shell/bash/rc.bash");
  REQUIRE(install(root.path() + "/shell").ok());
  CHECK(root.read("victim") == "mine");
  CHECK(std::filesystem::is_regular_file(
      std::filesystem::symlink_status(root.path() + "/shell/bash/rc.bash")));
}

}  // namespace troupe::shell
