// SPDX-License-Identifier: MIT
#include "recording/recorder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "base/base64.hpp"
#include "recording/reader.hpp"
#include "tests/support/pty_child.hpp"
#include "tests/unit/recording/vectors.hpp"

namespace troupe::recording {

namespace {

constexpr std::chrono::seconds patience{60};

/// Collects a recorder's events and waits for the last.
class Events {
 public:
  Recorder::Handler handler() {
    return [this](RecorderEvent event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      changed_.notify_all();
    };
  }
  template <class T>
  T wait() {
    std::unique_lock lock(mutex_);
    std::optional<T> found;
    REQUIRE(changed_.wait_for(lock, patience, [&] {
      for (const RecorderEvent& event : events_) {
        if (const T* wanted = std::get_if<T>(&event)) {
          found = *wanted;
        }
      }
      return found.has_value();
    }));
    return *found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecorderEvent> events_;
};

RecorderSpec spec(const std::string& path) {
  RecorderSpec result;
  result.place.path = path;
  result.info.instance_id = "00aabbccddee";
  return result;
}

std::string played(const std::string& path) {
  std::string bytes;
  Result<RecordingReader> reader = RecordingReader::open(path);
  REQUIRE(reader.ok());
  while (const std::optional<Entry> entry = reader->next()) {
    bytes += entry->kind == EntryKind::output ? entry->data : "";
  }
  CHECK(reader->bad_lines() == 0);
  CHECK_FALSE(reader->cut_off());
  return bytes;
}

}  // namespace

TEST_CASE("recorder: REC-12 what is recorded is on the disk in order once it is closed") {
  const test::TemporaryDirectory root;
  RecorderGroup group;
  Events events;
  Recorder recorder(group, spec(root.path() + "/r.jsonl"), events.handler());
  recorder.begin();
  CHECK(events.wait<Opened>().path == root.path() + "/r.jsonl");
  std::string all;
  for (int i = 0; i < 5000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\xE2\x9C\x93\r\n";
    recorder.output(all.size(), SharedBytes(line));
    all += line;
  }
  recorder.input("ls\r");
  recorder.masked_input();
  recorder.resize(100, 40);
  recorder.error("odd");
  recorder.stop({"eof", 0, "", ""});
  recorder.output(all.size(), SharedBytes(std::string("after the stop")));
  CHECK_FALSE(recorder.active());
  const Closed closed = events.wait<Closed>();
  CHECK(closed.rows == 5000 + 2 + 5);
  CHECK(closed.bytes == std::filesystem::file_size(closed.path));
  CHECK(played(closed.path) == all);
  CHECK(recorder.event_count() == 5000 + 6);
  CHECK(group.wait_until_done(patience));
}

TEST_CASE("recorder: a recorder that never began leaves nothing") {
  const test::TemporaryDirectory root;
  RecorderGroup group;
  {
    RecorderSpec own = spec("");
    own.place = {root.path() + "/d", "r.jsonl", "", Access::owner_only};
    const Recorder recorder(group, own, nullptr);
  }
  CHECK(group.wait_until_done(patience));
  CHECK_FALSE(std::filesystem::exists(root.path() + "/d"));
}

TEST_CASE("recorder: one that is dropped still writes what it took and a stop") {
  const test::TemporaryDirectory root;
  RecorderGroup group;
  { Recorder(group, spec(root.path() + "/r"), nullptr).output(0, SharedBytes(std::string("x"))); }
  CHECK(group.wait_until_done(patience));
  const auto rows = parsed_rows(root.read("r"));
  REQUIRE(rows.size() == 4);
  CHECK(rows[3].at("reason") == "closed");
}

TEST_CASE("recorder: a file that cannot be made is told and nothing else happens") {
  const test::TemporaryDirectory root;
  RecorderGroup group;
  Events events;
  Recorder recorder(group, spec(root.path() + "/missing/r"), events.handler());
  recorder.begin();
  const Failed failed = events.wait<Failed>();
  CHECK(failed.error.code == Code::io);
  CHECK(failed.rows == 0);
  CHECK_FALSE(recorder.active());
  recorder.output(0, SharedBytes(std::string("x")));
  CHECK(group.wait_until_done(patience));
}

TEST_CASE("recorder: REC-13 a disk that takes no more ends the recording and is told") {
  const test::TemporaryDirectory root;
  RecorderGroup group;
  Events events;
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{5000, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  Recorder recorder(group, spec(root.path() + "/r"), events.handler());
  recorder.begin();
  events.wait<Opened>();
  for (StreamOffset offset = 0; recorder.active(); offset += 100) {
    recorder.output(offset, SharedBytes(std::string(100, 'x')));
  }
  const std::uint64_t taken = recorder.event_count();
  const Failed failed = events.wait<Failed>();
  CHECK(group.wait_until_done(patience));
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);
  CHECK(failed.error.code == Code::io);
  CHECK(failed.error.message.find(root.path()) != std::string::npos);
  const std::size_t rows = parsed_rows(root.read("r")).size();
  CHECK(rows >= 2);
  CHECK(failed.rows == rows);
  CHECK(root.read("r").size() > 5000 - 300);  // as many rows as there was room for
  // The beginning is an event without a row and makes two; more where the queue was full.
  CHECK(failed.rows + failed.dropped_rows >= taken + 1);
  CHECK(failed.dropped_rows > 0);
}

TEST_CASE("recorder: REC-14 what a slow disk cannot take becomes one row that names it") {
  const test::TemporaryDirectory root;
  const std::string path = root.path() + "/r.jsonl";
  RecorderGroup group;
  Events events;
  RecorderSpec own = spec(path);
  own.queue_bytes = 100'000;
  std::mutex disk;
  std::unique_lock held(disk);
  // The handler runs on the recorder's thread: while it waits, nothing is taken from the queue.
  Recorder recorder(group, own, [&](RecorderEvent event) {
    const bool is_opened = std::holds_alternative<Opened>(event);
    events.handler()(std::move(event));
    if (is_opened) {
      const std::lock_guard lock(disk);
    }
  });
  recorder.begin();
  // Only from here on is the disk stuck: before, the thread could still empty a queue that was
  // full already, and one that fills again has a second gap of its own.
  events.wait<Opened>();
  const std::string chunk(1000, 'x');
  StreamOffset offset = 0;
  for (int i = 0; i < 1000; ++i) {
    recorder.output(offset, SharedBytes(chunk));
    offset += chunk.size();
  }
  recorder.resize(120, 50);
  recorder.input("lost too");
  held.unlock();
  // What comes once there is room again follows the gap.
  while (recorder.active()) {
    const std::uint64_t before = recorder.event_count();
    recorder.output(offset, SharedBytes(std::string("end")));
    offset += 3;
    if (recorder.event_count() > before) {
      break;
    }
  }
  recorder.stop({"eof", 0, "", ""});
  events.wait<Closed>();
  StreamOffset expected = 0;
  std::uint64_t gaps = 0;
  std::uint64_t lost_rows = 0;
  bool is_resized = false;
  for (const auto& row : parsed_rows(root.read("r.jsonl"))) {
    if (row.at("action") == "terminal_output") {
      CHECK(row.at("offset") == expected);
      expected += row.at("data").get<std::string>().size();
    } else if (row.at("action") == "recording_lost") {
      ++gaps;
      CHECK(row.at("lost_from") == expected);
      lost_rows = row.at("rows").get<std::uint64_t>();
      expected = row.at("lost_to").get<StreamOffset>();
    } else if (row.at("action") == "terminal_resize") {
      is_resized = row.at("cols") == 120;
    }
  }
  CHECK(gaps == 1);
  // All outputs that did not fit, the resize and the input; more where "end" had to be tried again.
  const std::uint64_t fitted = own.queue_bytes / (chunk.size() + 128);
  CHECK(lost_rows == 1000 - fitted + 2 + (offset - 1000 * chunk.size()) / 3 - 1);
  CHECK(is_resized);
  CHECK(expected == offset);
}

TEST_CASE("recorder: REC-15 after kill -9 every whole row can be read") {
  const test::TemporaryDirectory root;
  const std::string path = root.path() + "/r.jsonl";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    RecorderGroup group;
    Recorder recorder(group, spec(path), [&](RecorderEvent /*event*/) {
      const char byte = 'o';
      (void)!::write(ready[1], &byte, 1);
    });
    for (StreamOffset offset = 0;; offset += 1000) {
      recorder.output(offset, SharedBytes(std::string(1000, 'x')));
    }
  }
  ::close(ready[1]);
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  ::close(ready[0]);
  struct stat status {};
  for (const auto deadline = std::chrono::steady_clock::now() + patience;
       ::stat(path.c_str(), &status) == 0 && status.st_size < 200'000;) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  Result<RecordingReader> reader = RecordingReader::open(path);
  REQUIRE(reader.ok());
  std::size_t bytes = 0;
  while (const std::optional<Entry> entry = reader->next()) {
    bytes += entry->kind == EntryKind::output ? entry->data.size() : 0;
  }
  CHECK(reader->bad_lines() == 0);
  CHECK(bytes >= 150'000);
}

TEST_CASE("recorder: many at once end each by itself") {
  const test::TemporaryDirectory root;
  RecorderGroup group;
  {
    std::vector<std::unique_ptr<Recorder>> recorders;
    for (int i = 0; i < 40; ++i) {
      recorders.push_back(
          std::make_unique<Recorder>(group, spec(root.path() + "/" + std::to_string(i)), nullptr));
    }
    for (StreamOffset offset = 0; offset < 500; ++offset) {
      for (const auto& recorder : recorders) {
        recorder->output(offset, SharedBytes(std::string("x")));
      }
    }
  }
  REQUIRE(group.wait_until_done(patience));
  for (int i = 0; i < 40; ++i) {
    CHECK(played(root.path() + "/" + std::to_string(i)) == std::string(500, 'x'));
  }
}

}  // namespace troupe::recording
