// SPDX-License-Identifier: MIT
#include "client/cli/ended_terminal.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include "client/attach/painter.hpp"
#include "client/cli/table.hpp"
#include "client/cli/terminal_name.hpp"

namespace troupe::client::cli {
namespace {

using protocol::LedgerEntry;

constexpr std::size_t max_name_bytes = 60;
constexpr std::size_t max_reason_bytes = 200;

template <class Test>
const LedgerEntry* newest(const std::vector<LedgerEntry>& entries, Test wanted) {
  const LedgerEntry* found = nullptr;
  for (const LedgerEntry& entry : entries) {
    if (wanted(entry) && (found == nullptr || entry.ended_ms >= found->ended_ms)) {
      found = &entry;
    }
  }
  return found;
}

std::string local_time(std::int64_t wall_ms) {
  const auto time = static_cast<std::time_t>(wall_ms / 1000);
  std::tm parts{};
  ::localtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return {text.data(), length};
}

std::string how(const LedgerEntry& entry) {
  if (entry.signal) {
    return "killed " + printable(*entry.signal, max_name_bytes);
  }
  return entry.exit_code ? "exited " + std::to_string(*entry.exit_code) : "no exit status is known";
}

}  // namespace

const LedgerEntry* find_ended(const std::vector<LedgerEntry>& entries, std::string_view named) {
  const LedgerEntry* const by_id = newest(entries, [&](const LedgerEntry& entry) {
    return std::to_string(entry.id.value) == named || hex_id(entry.id) == named;
  });
  return by_id != nullptr || named.empty()
             ? by_id
             : newest(entries, [&](const LedgerEntry& entry) { return entry.title == named; });
}

std::optional<std::string> recording_of(const std::string& directory, TerminalId id) {
  namespace fs = std::filesystem;
  const std::string part = "-" + hex_id(id);
  std::string found;  // names begin with the time, so that the last is the newest
  std::error_code error;
  fs::directory_iterator file(directory, error);
  for (; !error && file != fs::directory_iterator(); file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (name.ends_with(".jsonl") && name.find(part) != std::string::npos) {
      found = std::max(found, name);
    }
  }
  return found.empty() ? std::nullopt : std::optional{directory + "/" + found};
}

std::string ended_text(const LedgerEntry& entry, std::int64_t now_ms,
                       const std::optional<std::string>& recording) {
  std::string text = printable(entry.title, max_name_bytes);
  text += (text.empty() ? "" : " ") + ("(" + std::to_string(entry.id.value) + ")") + " has ended";
  if (entry.ended_ms > 0) {
    text += " at " + local_time(entry.ended_ms) + ", " +
            duration_text(std::max<std::int64_t>(0, now_ms - entry.ended_ms)) + " ago";
  }
  text += ": " + how(entry);
  if (!entry.reason.empty()) {
    text += ", " + printable(entry.reason, max_reason_bytes);
  }
  text += "; it is closed, and its screen and history are gone";
  return text + (recording ? "; `troupe play " + *recording + "` shows its recording"
                           : " (`troupe list --ended` lists what ended)");
}

}  // namespace troupe::client::cli
