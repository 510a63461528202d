// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the registry knows of its terminals: creation order, which ended ones may stay, and the
/// ledger of those that are gone.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "protocol/terminal_info.hpp"

namespace troupe::actors {

struct RetentionLimits {
  std::size_t max_exited = 1024;                              ///< TROUPE_MAX_EXITED
  std::size_t exited_bytes = std::size_t{256} * 1024 * 1024;  ///< TROUPE_EXITED_BYTES
  std::size_t ledger = 64;                                    ///< TROUPE_LEDGER
};

/// Threads: none of its own; one caller at a time.
/// Bounds: at most `max_exited` ended terminals and `exited_bytes` of what they retain, oldest end
/// first; at most `ledger` entries.
class TerminalBook {
 public:
  explicit TerminalBook(RetentionLimits limits) : limits_(limits) {}

  void add(TerminalId id);
  /// The terminal ended and keeps `retained_bytes`.
  void exited(TerminalId id, std::size_t retained_bytes);
  /// It runs again.
  void restarted(TerminalId id);
  void remove(TerminalId id);
  /// Those that must go so that the limits hold, oldest end first.
  [[nodiscard]] std::vector<TerminalId> surplus() const;

  void remember(protocol::LedgerEntry entry);
  [[nodiscard]] const std::deque<protocol::LedgerEntry>& ledger() const { return ledger_; }

  [[nodiscard]] bool contains(TerminalId id) const;
  [[nodiscard]] const std::vector<TerminalId>& ids() const { return order_; }

 private:
  struct Ended {
    TerminalId id;
    std::size_t bytes = 0;
  };

  RetentionLimits limits_;
  std::vector<TerminalId> order_;  // creation order
  std::deque<Ended> ended_;        // in order of ending
  std::deque<protocol::LedgerEntry> ledger_;
};

/// What to tell about a terminal that is not there: what it was and how it ended where the ledger
/// remembers it.
std::string not_found_text(TerminalId id, const std::deque<protocol::LedgerEntry>& ledger);

}  // namespace troupe::actors
