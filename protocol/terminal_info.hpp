// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the daemon tells of one terminal, in `list` and with most replies about it.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/command_record.hpp"
#include "base/ids.hpp"
#include "protocol/words.hpp"

namespace troupe::protocol {

struct Running {
  bool operator==(const Running&) const = default;
};
struct Exited {
  std::optional<std::int32_t> exit_code{};
  bool operator==(const Exited&) const = default;
};
/// The reader or writer failed before the exit was known.
struct Failed {
  std::string message{};
  bool operator==(const Failed&) const = default;
};
using Lifecycle = std::variant<Running, Exited, Failed>;

/// The child's own end, which may come long before that of its stream.
struct ChildExit {
  std::optional<std::int32_t> exit_code{};  ///< 128+n for a death by signal n
  std::optional<std::string> signal{};      ///< "SIGKILL"
  std::vector<std::int32_t> held_by{};      ///< processes that still hold the PTY
  bool operator==(const ChildExit&) const = default;
};

/// Protocol 7's keys stand first, in its order; the rest are additions that its clients ignore.
struct TerminalInfo {
  TerminalId id{};
  std::optional<std::int32_t> pid{};
  std::string title{};  ///< the effective one
  std::optional<std::string> user_title{};
  std::optional<std::string> foreground_process{};
  std::string group_id{};
  std::vector<std::string> command{};
  std::string cwd{};  ///< as the request gave it
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
  Lifecycle lifecycle{};
  StreamOffset output_head = 0;
  StreamOffset output_tail = 0;

  std::optional<ChildExit> child_exit{};
  TerminalKind kind = TerminalKind::pty;
  std::optional<std::string> label{};
  std::optional<std::string> profile{};
  bool is_protected = false;                     ///< `protected`
  std::optional<std::string> recording{};        ///< path of a running recording
  std::optional<std::string> last_recording{};   ///< path of the last one that ended
  std::optional<std::string> recording_error{};  ///< the fault that ended the last one
  std::optional<std::string> shell_cwd{};        ///< where the shell is now
  CwdSource shell_cwd_source = CwdSource::none;
  std::optional<std::string> controller{};  ///< attachment id
  std::uint32_t subscribers = 0;
  std::int64_t created_ms = 0;  ///< Unix milliseconds
  bool operator==(const TerminalInfo&) const = default;
};

/// One terminal that is gone.
struct LedgerEntry {
  TerminalId id{};
  std::string title{};
  std::vector<std::string> command{};
  TerminalKind kind = TerminalKind::pty;
  std::string reason{};  ///< why it ended, a word or a short sentence
  std::optional<std::int32_t> exit_code{};
  std::optional<std::string> signal{};
  std::int64_t ended_ms = 0;
  bool operator==(const LedgerEntry&) const = default;
};

}  // namespace troupe::protocol
