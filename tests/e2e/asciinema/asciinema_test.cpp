// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <string>

#include "recording/asciicast.hpp"
#include "recording/recording_writer.hpp"
#include "tests/support/pty_child.hpp"

namespace troupe::recording {

namespace {

constexpr std::string_view shown =
    "plain\r\n\x1b[1;31mred\x1b[0m \xE2\x9C\x93 \"quoted\\\" \x01\x7f\t<&>\r\nend \xEF\xBF\xBD.\r\n";

/// Makes a recording and exports it below `root`.
std::string exported(const test::TemporaryDirectory& root, AsciicastVersion version) {
  RecordingWriter writer;
  std::string rows;
  writer.start({"1", "pty", "a \"title\"", "bash", "", 100, 30}, {1788264000000000, 0}, rows);
  // One character is cut in two, one byte is none, and the size changes in between.
  writer.output(0, shown.substr(0, 24), {1788264001000000, 1'000'000}, rows);
  writer.resize(90, 20, {1788264002000000, 2'000'000}, rows);
  writer.output(24, std::string(shown.substr(24, shown.size() - 24 - 6)) + "\xFF.\r\n",
                {1788264003500000, 3'500'000}, rows);
  writer.stop({"eof", 3, "", ""}, {1788264004000000, 4'000'000}, rows);
  Result<RecordingReader> reader = RecordingReader::open(root.write("r.jsonl", rows));
  REQUIRE(reader.ok());
  AsciicastWriter cast(version);
  std::string text;
  REQUIRE(export_asciicast(*reader, cast, [&text](std::string_view piece) {
            text += piece;
            return success();
          }).ok());
  return root.write("x.cast", text);
}

/// Runs a command line on a PTY (asciinema wants one) and returns what it printed to a file.
std::string printed(const test::TemporaryDirectory& root, const std::string& command) {
  test::PtyChild child({"sh",
                        {"-c", command + " >" + root.path() + "/out"},
                        {{"HOME", root.path()},
                         {"PATH", ::getenv("PATH")},
                         {"TERM", "xterm-256color"},
                         {"LANG", "C.UTF-8"}},
                        root.path()});
  const int status = child.wait_end();
  CAPTURE(child.output());
  CHECK(status == 0);
  return root.read("out");
}

}  // namespace

TEST_CASE("asciinema: REC-16 Debian's asciinema prints what was recorded") {
  const test::TemporaryDirectory root;
  const std::string cast = exported(root, AsciicastVersion::v2);
  CHECK(printed(root, "asciinema cat " + cast) == shown);
  CHECK(printed(root, "asciinema play -s 1000 -i 0.01 " + cast) == shown);
}

TEST_CASE("asciinema: REC-16 the web player plays both versions to the end") {
  for (const AsciicastVersion version : {AsciicastVersion::v2, AsciicastVersion::v3}) {
    const test::TemporaryDirectory root;
    const std::string cast = exported(root, version);
    const nlohmann::json seen = nlohmann::json::parse(
        printed(root, "node " TROUPE_SOURCE_DIR "/tests/e2e/asciinema/play.mjs " + cast), nullptr,
        false);
    REQUIRE(seen.is_object());
    CHECK(seen.at("output") == shown);
    CHECK(seen.at("size") == nlohmann::json::array({100, 30}));
    CHECK(seen.at("resizes") == nlohmann::json::array({nlohmann::json::array({90, 20})}));
    CHECK(seen.at("duration").get<double>() >= 3.5);
  }
}

}  // namespace troupe::recording
