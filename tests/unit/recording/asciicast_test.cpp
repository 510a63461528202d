// SPDX-License-Identifier: MIT
#include "recording/asciicast.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace troupe::recording {

namespace {

Entry entry(EntryKind kind, std::int64_t t_us, std::string data = {}) {
  Entry result;
  result.kind = kind;
  result.t_us = t_us;
  result.wall_us = 1'788'264'000'000'000 + t_us;
  result.data = std::move(data);
  return result;
}

std::string cast(AsciicastVersion version, const std::vector<Entry>& entries,
                 AsciicastWriter::Input input = AsciicastWriter::Input::leave_out) {
  AsciicastWriter writer(version, input);
  std::string out;
  for (const Entry& each : entries) {
    writer.add(each, out);
  }
  writer.finish(out);
  return out;
}

std::vector<Entry> sample() {
  Entry session = entry(EntryKind::other, 0);
  session.label = "a \"label\"";
  Entry start = entry(EntryKind::start, 1000);
  start.cols = 100;
  start.rows = 30;
  start.command = "bash";
  Entry resize = entry(EntryKind::resize, 2'500'000);
  resize.cols = 90;
  resize.rows = 20;
  Entry stop = entry(EntryKind::stop, 4'000'000, "eof");
  stop.exit_code = 3;
  return {session,
          start,
          entry(EntryKind::output, 1'001'000, "a\x1b[1m\r\n\xE2\x9C"),
          entry(EntryKind::input, 1'500'000, "ls\r"),
          resize,
          entry(EntryKind::output, 3'000'000, "\x93\xFF"),
          stop};
}

}  // namespace

TEST_CASE("asciicast: REC-16 version 2 has a header and times since the start") {
  CHECK(
      cast(AsciicastVersion::v2, sample()) ==
      R"({"version":2,"width":100,"height":30,"timestamp":1788264000,"command":"bash","title":"a \"label\"","env":{"TERM":"xterm-256color"}}
[1.000000, "o", "a\u001b[1m\r\n"]
[2.499000, "r", "90x20"]
[2.999000, "o", ")"
      "\xE2\x9C\x93\xEF\xBF\xBD"
      R"("]
)");
}

TEST_CASE("asciicast: version 3 has intervals and the exit status") {
  CHECK(
      cast(AsciicastVersion::v3, sample(), AsciicastWriter::Input::include) ==
      R"({"version":3,"term":{"cols":100,"rows":30,"type":"xterm-256color"},"timestamp":1788264000,"command":"bash","title":"a \"label\""}
[1.000000, "o", "a\u001b[1m\r\n"]
[0.499000, "i", "ls\r"]
[1.000000, "r", "90x20"]
[0.500000, "o", ")"
      "\xE2\x9C\x93\xEF\xBF\xBD"
      R"("]
[1.000000, "x", "3"]
)");
}

TEST_CASE("asciicast: intervals of version 3 add up exactly") {
  std::vector<Entry> entries{entry(EntryKind::start, 0)};
  for (int i = 1; i <= 10'000; ++i) {
    entries.push_back(entry(EntryKind::output, i * 333'333LL, "x"));
  }
  const std::string text = cast(AsciicastVersion::v3, entries);
  std::int64_t total_us = 0;
  for (std::size_t at = text.find("\n["); at != std::string::npos; at = text.find("\n[", at + 1)) {
    total_us += std::llround(std::stod(text.substr(at + 2)) * 1e6);
  }
  CHECK(total_us == 10'000LL * 333'333LL);
}

TEST_CASE("asciicast: what is masked is never among what was typed") {
  Entry masked = entry(EntryKind::input, 1, "***");
  masked.masked = true;
  CHECK(cast(AsciicastVersion::v2, {masked}, AsciicastWriter::Input::include).find("***") ==
        std::string::npos);
}

TEST_CASE("asciicast: a recording without rows or without an end is still one") {
  CHECK(cast(AsciicastVersion::v2, {}) ==
        "{\"version\":2,\"width\":80,\"height\":24,\"env\":{\"TERM\":\"xterm-256color\"}}\n");
  const std::string text =
      cast(AsciicastVersion::v3, {entry(EntryKind::output, 5, "a\xC3"), entry(EntryKind::lost, 6)});
  CHECK(text.find("[0.000001, \"m\", \"output lost\"]\n[0.000000, \"o\", \"\xEF\xBF\xBD\"]\n") !=
        std::string::npos);
}

TEST_CASE("play: pauses are cut and then sped up") {
  CHECK(play_delay_us(0, 1'000'000, {}) == 1'000'000);
  CHECK(play_delay_us(0, 1'000'000, {2.0, std::nullopt}) == 500'000);
  CHECK(play_delay_us(0, 10'000'000, {2.0, 1'000'000}) == 500'000);
  CHECK(play_delay_us(5, 3, {}) == 0);
  CHECK(play_delay_us(0, 1000, {0.0, std::nullopt}) == 1000);
  CHECK(play_delay_us(0, 1000, {std::nan(""), -5}) == 0);
  CHECK(play_delay_us(0, std::numeric_limits<std::int64_t>::max(), {1e-300, std::nullopt}) > 0);
}

}  // namespace troupe::recording
