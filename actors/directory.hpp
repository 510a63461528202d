// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where sessions find terminals without asking anybody: `list` and every request must work while
/// a terminal, or the registry, is busy.

#include <atomic>
#include <caf/actor.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "protocol/terminal_info.hpp"

namespace troupe::actors {

/// What a terminal publishes of itself.
///
/// Threads: written by the terminal actor, read by any.
/// Order: who was told of a change (by a reply or an event) reads it here.
class TerminalCard {
 public:
  void publish(const protocol::TerminalInfo& info);
  void moved(StreamOffset head, StreamOffset tail);
  void measured(std::size_t retained_bytes, std::size_t waits);
  void lagging(std::size_t total_bytes, std::size_t worst_bytes);
  [[nodiscard]] protocol::TerminalInfo read() const;
  [[nodiscard]] std::size_t retained_bytes() const { return retained_bytes_.load(); }
  [[nodiscard]] std::size_t waits() const { return waits_.load(); }
  [[nodiscard]] std::size_t lag_bytes() const { return lag_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t worst_lag_bytes() const {
    return worst_lag_bytes_.load(std::memory_order_relaxed);
  }
  /// The published part without a copy; offsets may be older than `read()`'s.
  [[nodiscard]] std::shared_ptr<const protocol::TerminalInfo> info() const { return info_.load(); }

 private:
  std::atomic<std::shared_ptr<const protocol::TerminalInfo>> info_{
      std::make_shared<const protocol::TerminalInfo>()};
  std::atomic<StreamOffset> head_{0};
  std::atomic<StreamOffset> tail_{0};
  std::atomic<std::size_t> retained_bytes_{0};
  std::atomic<std::size_t> waits_{0};
  std::atomic<std::size_t> lag_bytes_{0};
  std::atomic<std::size_t> worst_lag_bytes_{0};
};

/// What a look at the processes tells of a running terminal. A directory that the shell announced
/// itself is not overwritten: over ssh or in a container only the shell knows it.
void apply_foreground(protocol::TerminalInfo& info, const std::string& process,
                      const std::string& cwd);

struct DirectoryEntry {
  TerminalId id;
  std::uint64_t order = 0;  ///< of creation
  std::shared_ptr<TerminalCard> card;
  caf::actor terminal;
};
using EntryPointer = std::shared_ptr<const DirectoryEntry>;

/// One immutable state of the directory.
struct DirectoryView {
  std::vector<EntryPointer> by_id;
  std::deque<protocol::LedgerEntry> ledger;

  [[nodiscard]] EntryPointer find(TerminalId id) const;
  [[nodiscard]] std::vector<EntryPointer> in_creation_order() const;
};

/// Threads: written by the registry actor only, read by any.
class Directory {
 public:
  [[nodiscard]] std::shared_ptr<const DirectoryView> view() const { return view_.load(); }
  void add(DirectoryEntry entry);
  void remove(TerminalId id);
  void set_ledger(std::deque<protocol::LedgerEntry> ledger);
  /// How many wait for another list.
  void set_list_waits(std::size_t count) { list_waits_.store(count); }
  [[nodiscard]] std::size_t list_waits() const { return list_waits_.load(); }

 private:
  std::atomic<std::size_t> list_waits_{0};
  std::atomic<std::shared_ptr<const DirectoryView>> view_{std::make_shared<const DirectoryView>()};
};

}  // namespace troupe::actors
