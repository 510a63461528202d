// SPDX-License-Identifier: MIT
#include "recording/recording_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/support/pty_child.hpp"

namespace troupe::recording {

namespace {

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::size_t entries(const std::string& path) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("recording_file: names are times and ids and a harmless label") {
  CHECK(recording_file_name(1788264000000123, "pty", "00aabbccddee", "") ==
        "20260901T120000Z-pty-00aabbccddee.jsonl");
  CHECK(recording_file_name(0, "ssh", "1", "../a b/\xC3\xA9") ==
        "19700101T000000Z-ssh-1-.._a_b___.jsonl");
  CHECK(recording_file_name(0, "ssh", "1", std::string(500, 'x')).size() < 120);
}

TEST_CASE("recording_file: the directory and the settings come from the environment") {
  CHECK(default_recording_directory({{"HOME", "/h"}}) == "/h/.local/share/troupe/recordings");
  CHECK(default_recording_directory({{"HOME", "/h"}, {"XDG_DATA_HOME", "/d"}}) ==
        "/d/troupe/recordings");
  CHECK(default_recording_directory({{"TROUPE_RECORDINGS_DIR", "/r"}, {"HOME", "/h"}}) == "/r");
  CHECK(default_recording_directory({{"TROUPE_RECORDINGS_DIR", "r"}}).empty());
  for (const char* value : {"0", "off", "FALSE", "no", "never", "none", "disabled"}) {
    CHECK(recording_access({{"TROUPE_RECORDINGS_PRIVATE", value}}) == Access::by_umask);
  }
  for (const char* value : {"", "1", "yes", "x"}) {
    CHECK(recording_access({{"TROUPE_RECORDINGS_PRIVATE", value}}) == Access::owner_only);
  }
  CHECK(recording_max_bytes({{"TROUPE_RECORDING_MAX_BYTES", "1048576"}}) == 1048576);
  for (const char* value : {"", "0", "-1", "x", "1k", "99999999999999999999"}) {
    CHECK(recording_max_bytes({{"TROUPE_RECORDING_MAX_BYTES", value}}) == 0);
  }
}

TEST_CASE("recording_file: REC-9 it is the owner's alone and has its name when it is committed") {
  const test::TemporaryDirectory root;
  const std::string folder = root.path() + "/a/b";
  Result<RecordingFile> file = RecordingFile::create({folder, "r.jsonl", "", Access::owner_only});
  REQUIRE(file.ok());
  CHECK(mode_of(root.path() + "/a") == 0700);
  CHECK(mode_of(folder) == 0700);
  CHECK_FALSE(std::filesystem::exists(folder + "/r.jsonl"));
  REQUIRE(file->write("one\n").ok());
  REQUIRE(file->commit().ok());
  REQUIRE(file->write("two\n").ok());
  CHECK(root.read("a/b/r.jsonl") == "one\ntwo\n");
  CHECK(mode_of(folder + "/r.jsonl") == 0600);
  CHECK(entries(folder) == 1);
}

TEST_CASE("recording_file: what was not committed leaves nothing") {
  const test::TemporaryDirectory root;
  {
    Result<RecordingFile> file =
        RecordingFile::create({root.path() + "/d", "r.jsonl", "", Access::owner_only});
    REQUIRE(file.ok());
    REQUIRE(file->write("one\n").ok());
  }
  CHECK(entries(root.path() + "/d") == 0);
}

TEST_CASE("recording_file: a directory that others can read is closed to them") {
  const test::TemporaryDirectory root;
  std::filesystem::create_directory(root.path() + "/d");
  std::filesystem::permissions(root.path() + "/d", std::filesystem::perms::all);
  REQUIRE(RecordingFile::create({root.path() + "/d", "r", "", Access::owner_only}).ok());
  CHECK(mode_of(root.path() + "/d") == 0700);
}

TEST_CASE("recording_file: REC-10 links and files that exist are refused") {
  const test::TemporaryDirectory root;
  root.write("victim", "mine");
  std::filesystem::create_directory(root.path() + "/real");
  std::filesystem::create_directory_symlink(root.path() + "/real", root.path() + "/link");
  std::filesystem::create_symlink(root.path() + "/victim", root.path() + "/real/r.jsonl");
  const auto refused = [](const RecordingPlace& place) {
    Result<RecordingFile> file = RecordingFile::create(place);
    return !file.ok();
  };
  CHECK(refused({root.path() + "/link", "x", "", Access::owner_only}));
  CHECK(refused({root.path() + "/real", "r.jsonl", "", Access::owner_only}));
  CHECK(refused({"", "", root.path() + "/real/r.jsonl", Access::owner_only}));
  CHECK(refused({"", "", root.path() + "/victim", Access::owner_only}));
  CHECK(refused({"", "", root.path() + "/missing/r", Access::owner_only}));
  CHECK(refused({"", "", "relative", Access::owner_only}));
  CHECK(refused({"", "", root.path() + "/", Access::owner_only}));
  CHECK(refused({"relative", "r", "", Access::owner_only}));
  CHECK(refused({"/proc/none", "r", "", Access::owner_only}));
  CHECK(root.read("victim") == "mine");
  // One that appears between creation and commit is not replaced either.
  Result<RecordingFile> file =
      RecordingFile::create({root.path() + "/real", "late", "", Access::owner_only});
  REQUIRE(file.ok());
  root.write("real/late", "mine");
  CHECK_FALSE(file->commit().ok());
  CHECK(root.read("real/late") == "mine");
}

TEST_CASE("recording_file: REC-11 a write that fails leaves whole rows") {
  const test::TemporaryDirectory root;
  Result<RecordingFile> file =
      RecordingFile::create({"", "", root.path() + "/r.jsonl", Access::owner_only});
  REQUIRE(file.ok());
  REQUIRE(file->write("row one\n").ok());
  REQUIRE(file->commit().ok());
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Result<> written = file->write("row two\n");
  const rlimit larger{23, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &larger) == 0);
  const Result<> in_part = file->write("row 2\nrow 3\nrow 4\n");
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().code == Code::io);
  CHECK_FALSE(in_part.ok());
  CHECK(root.read("r.jsonl") == "row one\nrow 2\nrow 3\n");
  CHECK(file->size() == 20);
  REQUIRE(file->write("row four\n").ok());
  CHECK(root.read("r.jsonl") == "row one\nrow 2\nrow 3\nrow four\n");
}

}  // namespace troupe::recording
