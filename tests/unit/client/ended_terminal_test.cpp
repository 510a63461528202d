// SPDX-License-Identifier: MIT
#include "client/cli/ended_terminal.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::client::cli;

namespace {

protocol::LedgerEntry entry(std::uint64_t id, const std::string& title, std::int64_t ended_ms) {
  protocol::LedgerEntry entry;
  entry.id = TerminalId{id};
  entry.title = title;
  entry.ended_ms = ended_ms;
  return entry;
}

}  // namespace

TEST_CASE("ended_terminal: an id comes before a title and of equal titles the newest counts") {
  const std::vector<protocol::LedgerEntry> entries{entry(777, "build", 1), entry(778, "build", 5),
                                                   entry(779, "777", 9)};
  CHECK(find_ended(entries, "777")->id == TerminalId{777});
  CHECK(find_ended(entries, "000000000309")->id == TerminalId{777});
  CHECK(find_ended(entries, "build")->id == TerminalId{778});
  CHECK(find_ended(entries, "buil") == nullptr);
  CHECK(find_ended(entries, "") == nullptr);
}

TEST_CASE("ended_terminal: the text says how and when as far as that is known") {
  protocol::LedgerEntry ended = entry(777, "bu\x1bild", 60'000);
  ended.exit_code = 3;
  ended.reason = "terminated";
  const std::string text = ended_text(ended, 150'000, {});
  CHECK(text.find("build (777) has ended at ") == 0);
  CHECK(text.find("1m30s ago: exited 3, terminated") != std::string::npos);
  CHECK(text.find("--ended") != std::string::npos);
  CHECK(ended_text(entry(777, "", 0), 1, "/a/b.jsonl") ==
        "(777) has ended: no exit status is known; it is closed, and its screen and history are "
        "gone; `troupe play /a/b.jsonl` shows its recording");
  ended.signal = "KILL";
  CHECK(ended_text(ended, 0, {}).find(", 0ms ago: killed KILL") != std::string::npos);
}

TEST_CASE("ended_terminal: the newest recording with the id in its name is found") {
  std::string directory = (std::filesystem::temp_directory_path() / "ended-XXXXXX").string();
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  for (const char* const name :
       {"20260901T100000Z-pty-000000000309.jsonl", "20260902T100000Z-pty-000000000309-2.jsonl",
        "20260903T100000Z-pty-000000000310.jsonl", "20260904T100000Z-pty-000000000309.cast"}) {
    std::ofstream(directory + "/" + name) << "\n";
  }
  CHECK(recording_of(directory, TerminalId{777}) ==
        directory + "/20260902T100000Z-pty-000000000309-2.jsonl");
  CHECK_FALSE(recording_of(directory, TerminalId{1}).has_value());
  std::filesystem::remove_all(directory);
  CHECK_FALSE(recording_of(directory, TerminalId{777}).has_value());
}
