// SPDX-License-Identifier: MIT
#include "actors/directory.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {
namespace {

bool before(const EntryPointer& entry, TerminalId id) {
  return entry->id < id;
}

}  // namespace

void TerminalCard::publish(const protocol::TerminalInfo& info) {
  moved(info.output_head, info.output_tail);
  info_.store(std::make_shared<const protocol::TerminalInfo>(info));
}

void TerminalCard::moved(StreamOffset head, StreamOffset tail) {
  head_.store(head);
  tail_.store(tail);
}

void TerminalCard::measured(std::size_t retained_bytes, std::size_t waits) {
  retained_bytes_.store(retained_bytes);
  waits_.store(waits);
}

void TerminalCard::lagging(std::size_t total_bytes, std::size_t worst_bytes) {
  lag_bytes_.store(total_bytes, std::memory_order_relaxed);
  worst_lag_bytes_.store(worst_bytes, std::memory_order_relaxed);
}

protocol::TerminalInfo TerminalCard::read() const {
  protocol::TerminalInfo info = *info_.load();
  // Head first: the tail only grows, so the pair never looks impossible.
  info.output_head = head_.load();
  info.output_tail = tail_.load();
  return info;
}

void apply_foreground(protocol::TerminalInfo& info, const std::string& process,
                      const std::string& cwd) {
  if (!process.empty()) {
    info.foreground_process = process;
  }
  const bool announced = info.shell_cwd && info.shell_cwd_source != CwdSource::proc;
  if (!cwd.empty() && !announced) {
    info.shell_cwd = cwd;
    info.shell_cwd_source = CwdSource::proc;
  }
}

EntryPointer DirectoryView::find(TerminalId id) const {
  const auto at = std::lower_bound(by_id.begin(), by_id.end(), id, before);
  return at != by_id.end() && (*at)->id == id ? *at : nullptr;
}

std::vector<EntryPointer> DirectoryView::in_creation_order() const {
  std::vector<EntryPointer> entries = by_id;
  std::sort(entries.begin(), entries.end(),
            [](const EntryPointer& a, const EntryPointer& b) { return a->order < b->order; });
  return entries;
}

void Directory::add(DirectoryEntry entry) {
  auto next = std::make_shared<DirectoryView>(*view_.load());
  const auto at = std::lower_bound(next->by_id.begin(), next->by_id.end(), entry.id, before);
  next->by_id.insert(at, std::make_shared<const DirectoryEntry>(std::move(entry)));
  view_.store(std::move(next));
}

void Directory::remove(TerminalId id) {
  auto next = std::make_shared<DirectoryView>(*view_.load());
  std::erase_if(next->by_id, [&](const EntryPointer& entry) { return entry->id == id; });
  view_.store(std::move(next));
}

void Directory::set_ledger(std::deque<protocol::LedgerEntry> ledger) {
  auto next = std::make_shared<DirectoryView>(*view_.load());
  next->ledger = std::move(ledger);
  view_.store(std::move(next));
}

}  // namespace troupe::actors
