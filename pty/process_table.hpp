// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One look at /proc as a value, and the questions that terminals ask of it: who is in the
/// foreground, who belongs to a session, who holds a PTY.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace troupe::pty {

/// What /proc/PID/stat says of a process.
struct ProcessInfo {
  int pid = 0;
  int parent = 0;
  int group = 0;
  int session = 0;
  int tty = 0;               ///< device number of the controlling terminal, 0 for none
  int foreground_group = 0;  ///< of that terminal, -1 for none
  char state = '?';
  int threads = 0;  ///< above 1 in state 'Z': the main thread is gone, the process lives
  std::uint64_t start_time = 0;  ///< with `pid` it names a process for ever
  std::string name;              ///< `comm`, at most 15 bytes

  [[nodiscard]] bool dead() const { return state == 'X' || (state == 'Z' && threads <= 1); }
};

/// Nothing where the text is not a stat line. The name may hold any byte, parentheses too.
std::optional<ProcessInfo> parse_stat(std::string_view text);

/// Reads one process afresh.
std::optional<ProcessInfo> read_process(int pid);

/// All processes, by pid.
class ProcessTable {
 public:
  explicit ProcessTable(std::vector<ProcessInfo> processes);
  /// One pass over /proc; may take milliseconds, so never on the io thread.
  static ProcessTable read();

  [[nodiscard]] const ProcessInfo* find(int pid) const;
  [[nodiscard]] const std::vector<ProcessInfo>& all() const { return processes_; }

  /// Tells whether a process has its terminal as one of its descriptors 0 … 2.
  using UsesTerminal = std::function<bool(const ProcessInfo&)>;

  /// The name that stands for the terminal of session `leader`: of the members of its foreground
  /// group those that use the terminal, or all where none does; of these the deepest by parent
  /// chain, the highest pid at a tie. Empty where there is none.
  [[nodiscard]] std::string foreground(int leader, const UsesTerminal& uses_terminal) const;

  /// The living members of the session and the living descendants of its leader (which may have
  /// left the session), the leader included.
  [[nodiscard]] std::vector<ProcessInfo> session_tree(int leader) const;

 private:
  [[nodiscard]] int depth(const ProcessInfo& process) const;
  std::vector<ProcessInfo> processes_;                  ///< sorted by pid
  std::unordered_multimap<int, std::size_t> by_group_;  ///< group -> index
};

/// Where the process is now; empty where that cannot be told or is deleted. Blocks on /proc.
std::string working_directory_of(int pid);

/// Whether `process` has its controlling terminal as descriptor 0, 1 or 2. Blocks on /proc.
bool uses_own_terminal(const ProcessInfo& process);

/// The pids of `table` with a descriptor on `tty_path` (`/dev/pts/N`); what this user may not look
/// at is not seen. Blocks on /proc.
std::vector<int> holders_of(const ProcessTable& table, const std::string& tty_path);

}  // namespace troupe::pty
