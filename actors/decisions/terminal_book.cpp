// SPDX-License-Identifier: MIT
#include "actors/decisions/terminal_book.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace troupe::actors {
namespace {

std::string utc_time(std::int64_t unix_ms) {
  std::time_t const seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
    return "an unknown time";
  }
  return text.data();
}

}  // namespace

void TerminalBook::add(TerminalId id) {
  order_.push_back(id);
}

void TerminalBook::exited(TerminalId id, std::size_t retained_bytes) {
  if (contains(id)) {
    restarted(id);
    ended_.push_back({id, retained_bytes});
  }
}

void TerminalBook::restarted(TerminalId id) {
  std::erase_if(ended_, [&](const Ended& ended) { return ended.id == id; });
}

void TerminalBook::remove(TerminalId id) {
  restarted(id);
  std::erase(order_, id);
}

std::vector<TerminalId> TerminalBook::surplus() const {
  std::size_t bytes = 0;
  for (const Ended& ended : ended_) {
    bytes += ended.bytes;
  }
  std::size_t count = ended_.size();
  std::vector<TerminalId> result;
  for (const Ended& ended : ended_) {
    if (count <= limits_.max_exited && bytes <= limits_.exited_bytes) {
      break;
    }
    --count;
    bytes -= ended.bytes;
    result.push_back(ended.id);
  }
  return result;
}

void TerminalBook::remember(protocol::LedgerEntry entry) {
  ledger_.push_back(std::move(entry));
  while (ledger_.size() > limits_.ledger) {
    ledger_.pop_front();
  }
}

bool TerminalBook::contains(TerminalId id) const {
  return std::find(order_.begin(), order_.end(), id) != order_.end();
}

std::string not_found_text(TerminalId id, const std::deque<protocol::LedgerEntry>& ledger) {
  std::string text = "terminal " + std::to_string(id.value) + " not found";
  const auto entry = std::find_if(ledger.rbegin(), ledger.rend(),
                                  [&](const protocol::LedgerEntry& e) { return e.id == id; });
  if (entry == ledger.rend()) {
    return text;
  }
  text += ": \"" + entry->title + "\" (" + std::string{protocol::to_text(entry->kind)};
  if (!entry->command.empty()) {
    // Of a remote one the kind says what runs; where to is told behind it.
    const bool is_local = entry->kind == protocol::TerminalKind::pty;
    text += ", " + (is_local ? entry->command.front() : entry->command.back());
  }
  text += ") is gone: " + entry->reason;
  if (entry->signal) {
    text += ", its program was killed by " + *entry->signal;
  } else if (entry->exit_code) {
    text += ", its program exited with " + std::to_string(*entry->exit_code);
  }
  return text + ", at " + utc_time(entry->ended_ms);
}

}  // namespace troupe::actors
