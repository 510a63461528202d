// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Every request as a value, one struct an operation. Fields bear their names of the wire; bytes
/// are raw here and base64 there. docs/wire.md is the reference.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/text_read.hpp"
#include "protocol/limits.hpp"
#include "protocol/words.hpp"

namespace troupe::protocol {

/// What ties a response to its request on a multiplexed connection: 0 … 2^53, or a text.
using RequestId = std::variant<std::uint64_t, std::string>;

/// `history_rows`: "all".
inline constexpr std::size_t all_history_rows = SIZE_MAX;

/// Where a recording goes; no path lets the daemon choose one.
struct RecordingTarget {
  std::optional<std::string> path{};
  bool operator==(const RecordingTarget&) const = default;
};

namespace request {

// -- protocol 7 ----------------------------------------------------------------------------------

struct Ping {
  bool operator==(const Ping&) const = default;
};

struct Own {
  std::string instance_id{};
  std::optional<std::string> ticket{};
  bool operator==(const Own&) const = default;
};

struct PrepareHandoff {
  bool operator==(const PrepareHandoff&) const = default;
};

/// The first eight fields are protocol 7's and all required.
struct Create {
  std::string program{};  ///< blank only where `kind` is not a PTY
  std::vector<std::string> args{};
  std::string cwd{};
  std::string title{};
  std::string group_id{};
  std::map<std::string, std::string> env{};
  std::uint16_t cols = 80;
  std::uint16_t rows = 24;
  std::optional<std::int64_t> drain_ms{};
  TerminalKind kind = TerminalKind::pty;
  std::string options{};  ///< a JSON object as text for the kind's own reader; empty where absent
  std::optional<RecordingTarget> recording{};
  std::optional<Redaction> redact{};
  bool is_protected = false;  ///< `protected`
  bool integrate = false;
  std::optional<std::string> label{};
  std::optional<std::string> profile{};
  bool operator==(const Create&) const = default;
};

struct List {
  bool operator==(const List&) const = default;
};

struct Write {
  TerminalId id{};
  std::optional<std::string> attachment_id{};
  std::string data{};  ///< `data_base64`
  bool ack = false;
  bool password = false;  ///< a recording masks it
  bool operator==(const Write&) const = default;
};

struct Resize {
  TerminalId id{};
  std::optional<std::string> attachment_id{};
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
  bool operator==(const Resize&) const = default;
};

struct Control {
  TerminalId id{};
  std::string attachment_id{};
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
  bool operator==(const Control&) const = default;
};

struct Input {
  TerminalId id{};
  std::string attachment_id{};
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
  std::string data{};  ///< `data_base64`
  bool ack = false;
  bool password = false;  ///< a recording masks it
  bool operator==(const Input&) const = default;
};

struct Snapshot {
  TerminalId id{};
  std::optional<std::size_t> history_rows{};  ///< or all_history_rows; absent: the daemon's default
  bool operator==(const Snapshot&) const = default;
};

struct ReadRows {
  TerminalId id{};
  std::optional<std::uint16_t> rows{};  ///< absent: the screen
  bool operator==(const ReadRows&) const = default;
};

struct Replay {
  TerminalId id{};
  StreamOffset offset = 0;
  bool operator==(const Replay&) const = default;
};

/// The first five fields are protocol 7's and all required.
struct Subscribe {
  TerminalId id{};
  StreamOffset offset = 0;
  std::string attachment_id{};
  Role role = Role::observer;
  bool takeover = false;
  bool journal = false;
  bool resync = false;
  bool child_events = false;
  std::optional<std::size_t> history_rows{};
  std::optional<std::string> ssh_auth_sock{};
  bool operator==(const Subscribe&) const = default;
};

struct Terminate {
  TerminalId id{};
  bool force = false;
  bool operator==(const Terminate&) const = default;
};

struct Rename {
  TerminalId id{};
  std::optional<std::string> title{};  ///< absent or null clears the user's title
  bool operator==(const Rename&) const = default;
};

struct Shutdown {
  bool operator==(const Shutdown&) const = default;
};

// -- connection ----------------------------------------------------------------------------------

/// Ends the blocked request or subscription `target` of the same connection.
struct Cancel {
  RequestId target{};
  bool operator==(const Cancel&) const = default;
};

/// How the daemon is doing; for people and monitors.
struct Status {
  bool operator==(const Status&) const = default;
};

struct Ledger {
  bool operator==(const Ledger&) const = default;
};

// -- journal -------------------------------------------------------------------------------------

struct Journal {
  TerminalId id{};
  std::optional<std::uint64_t> from_index{};
  std::size_t limit = 0;  ///< records; 0: all. The wire's default is 20
  bool tail = true;       ///< the wire's default: true where `from_index` is absent
  bool operator==(const Journal&) const = default;
};

struct Output {
  TerminalId id{};
  CommandSpec index{};  ///< never CommandNext
  std::optional<CursorSpec> cursor{};
  std::size_t max_bytes = 0;  ///< 0: the ceiling
  bool operator==(const Output&) const = default;
};

struct JournalWait {
  TerminalId id{};
  CommandSpec index{};
  std::int64_t timeout_ms = 0;
  bool operator==(const JournalWait&) const = default;
};

struct Run {
  TerminalId id{};
  std::optional<std::string> attachment_id{};
  std::string text{};
  std::int64_t timeout_ms = 0;
  std::size_t max_bytes = 0;
  bool operator==(const Run&) const = default;
};

// -- text ----------------------------------------------------------------------------------------

struct Since {
  TerminalId id{};
  CursorSpec cursor{};
  std::size_t max_bytes = 0;
  bool operator==(const Since&) const = default;
};

struct Wait {
  TerminalId id{};
  CursorSpec cursor{};
  std::optional<std::string> needle{};
  std::optional<std::string> regex{};
  std::optional<std::int64_t> idle_ms{};
  bool exit = false;
  std::int64_t timeout_ms = 0;
  std::size_t max_bytes = 0;
  bool operator==(const Wait&) const = default;
};

struct History {
  TerminalId id{};
  std::optional<CursorSpec> cursor{};
  std::optional<std::size_t> rows{};
  HistoryFormat format = HistoryFormat::plain;
  bool operator==(const History&) const = default;
};

struct Search {
  TerminalId id{};
  std::string pattern{};
  bool regex = false;
  bool ignore_case = false;
  std::size_t limit = 0;  ///< 0: the daemon's default
  std::optional<CursorSpec> cursor{};
  bool operator==(const Search&) const = default;
};

// -- control -------------------------------------------------------------------------------------

struct Keys {
  TerminalId id{};
  std::optional<std::string> attachment_id{};
  std::vector<std::string> keys{};
  bool ack = false;
  bool operator==(const Keys&) const = default;
};

struct Paste {
  TerminalId id{};
  std::optional<std::string> attachment_id{};
  std::string text{};
  bool ack = false;
  bool operator==(const Paste&) const = default;
};

struct Signal {
  TerminalId id{};
  int signal = 0;  ///< name or number on the wire
  SignalTarget target = SignalTarget::foreground;
  bool operator==(const Signal&) const = default;
};

struct Restart {
  TerminalId id{};
  bool operator==(const Restart&) const = default;
};

struct WaitExit {
  TerminalId id{};
  std::int64_t timeout_ms = 0;
  bool operator==(const WaitExit&) const = default;
};

/// Waits until the set of terminals is another one than at `revision`, or what `list` tells of
/// one's life and title is.
struct TerminalsWait {
  std::optional<std::uint64_t> revision{};  ///< absent: only asks for the present one
  std::int64_t timeout_ms = max_timeout_ms;
  bool operator==(const TerminalsWait&) const = default;
};

/// Starts (with a target) or stops (without) the recording of a terminal: `recording` is `true`,
/// `false` or `{"path"}` as in `create`. Without `recording` it only asks.
struct RecordingChange {
  std::optional<RecordingTarget> target{};
  bool operator==(const RecordingChange&) const = default;
};
struct Record {
  TerminalId id{};
  std::optional<RecordingChange> recording{};
  std::optional<Redaction> redact{};
  bool operator==(const Record&) const = default;
};

}  // namespace request

using Request =
    std::variant<request::Ping, request::Own, request::PrepareHandoff, request::Create,
                 request::List, request::Write, request::Resize, request::Control, request::Input,
                 request::Snapshot, request::ReadRows, request::Replay, request::Subscribe,
                 request::Terminate, request::Rename, request::Shutdown, request::Cancel,
                 request::Status, request::Ledger, request::Journal, request::Output,
                 request::JournalWait, request::Run, request::Since, request::Wait,
                 request::History, request::Search, request::Keys, request::Paste, request::Signal,
                 request::Restart, request::WaitExit, request::Record, request::TerminalsWait>;

/// The operation's name on the wire.
std::string_view op_name(const Request& request);
/// The terminal it is about; nothing for operations of the daemon or the connection.
std::optional<TerminalId> terminal_of(const Request& request);

}  // namespace troupe::protocol
