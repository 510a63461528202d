// SPDX-License-Identifier: MIT
#include "recording/reader.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/pty_child.hpp"
#include "tests/unit/recording/vectors.hpp"

namespace troupe::recording {

namespace {

struct ReadBack {
  std::vector<Entry> entries;
  std::uint64_t bad_lines = 0;
  bool cut_off = false;
};

ReadBack read_back(const std::string& text) {
  const test::TemporaryDirectory root;
  Result<RecordingReader> reader = RecordingReader::open(root.write("r", text));
  REQUIRE(reader.ok());
  ReadBack result;
  while (std::optional<Entry> entry = reader->next()) {
    result.entries.push_back(std::move(*entry));
  }
  result.bad_lines = reader->bad_lines();
  result.cut_off = reader->cut_off();
  return result;
}

}  // namespace

TEST_CASE("reader: recordings of the seed can be read") {
  std::string text;
  const nlohmann::json vectors = octowright_vectors("recording_examples");
  for (const auto& row : vectors) {
    text += row.dump() + "\n";
  }
  const ReadBack read = read_back(text);
  REQUIRE(read.entries.size() == 7);
  CHECK(read.bad_lines == 0);
  CHECK(read.entries[0].kind == EntryKind::start);
  CHECK(read.entries[0].cols == 80);
  CHECK(read.entries[1].data == "bash-5.2$ ");
  CHECK(read.entries[1].t_us == 103'877);
  CHECK(read.entries[2].data == "ls\n");
  CHECK_FALSE(read.entries[2].masked);
  CHECK(read.entries[3].masked);
  CHECK(read.entries[4].data ==
        "\x1b"
        "c");
  CHECK(read.entries[5].kind == EntryKind::stop);
  CHECK(read.entries[5].data == "eof");
  CHECK(read.entries[6].kind == EntryKind::truncated);
}

TEST_CASE("reader: a time without a fraction counts") {
  const ReadBack read =
      read_back(R"({"ts":"2026-09-01T12:00:00Z","action":"session_start"})"
                "\n"
                R"({"ts":"2026-09-01T12:00:01.5Z","action":"terminal_output","data":"x"})"
                "\n"
                R"({"ts":"2026-09-01T12:00:01Z","action":"terminal_output","data":"y"})"
                "\n");
  REQUIRE(read.entries.size() == 3);
  CHECK(read.entries[1].t_us == 1'500'000);
  CHECK(read.entries[2].t_us == 1'500'000);
}

TEST_CASE("reader: lines that are no rows are counted and stepped over") {
  const std::string good = R"({"ts":"2026-09-01T12:00:00Z","action":"terminal_output","data":"x"})";
  const ReadBack read = read_back(
      "\n{}\n[]\nnull\n{\"action\":3}\nnot json\n" + good + "\n" + std::string(9'000'000, 'x') +
      "\n" + good + "\n{\"action\":\"terminal_output\",\"data\":\xFF}\n" +
      R"({"action":"terminal_output","data":7,"t":"x","cols":-1,"exit_code":"y"})"
      "\n" +
      R"({"action":"terminal_output","data_base64":"*","t":-1})"
      "\n" +
      R"({"action":"new_thing","t":1e300})"
      "\n" +
      good.substr(0, 30));
  CHECK(read.entries.size() == 5);
  CHECK(read.bad_lines == 8);
  CHECK(read.cut_off);
}

TEST_CASE("reader: looking for a further row takes none away") {
  const test::TemporaryDirectory root;
  root.write("r", "junk\n{\"action\":\"terminal_output\",\"data\":\"a\"}\n{\"action\":\"ter");
  Result<RecordingReader> reader = RecordingReader::open(root.path() + "/r");
  REQUIRE(reader.ok());
  CHECK(reader->has_next());
  CHECK(reader->has_next());
  const std::optional<Entry> entry = reader->next();
  REQUIRE(entry);
  CHECK(entry->data == "a");
  CHECK_FALSE(reader->has_next());
  CHECK_FALSE(reader->next());
  CHECK(reader->bad_lines() == 1);
  CHECK(reader->cut_off());
}

TEST_CASE("reader: an absent file and an empty one") {
  CHECK(RecordingReader::open("/nowhere/r").error().code == Code::not_found);
  CHECK(read_back("").entries.empty());
  CHECK_FALSE(read_back("").cut_off);
}

}  // namespace troupe::recording
