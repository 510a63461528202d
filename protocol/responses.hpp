// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Every frame that the daemon sends as a value: replies, and the events of subscriptions. Fields
/// bear their names of the wire and stand in its order; bytes are raw here and base64 there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/command_record.hpp"
#include "base/cursor.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/text_read.hpp"
#include "protocol/terminal_info.hpp"
#include "protocol/words.hpp"

namespace troupe::protocol {

namespace reply {

struct Pong {
  std::string instance_id{};
  std::int32_t pid = 0;
  std::uint32_t protocol = 0;
  std::vector<std::string> features{};
};

struct Owned {};

struct Handoff {
  std::string ticket{};
  std::int64_t expires_at = 0;  ///< Unix milliseconds
};

struct Created {
  TerminalInfo terminal{};
};

struct Terminals {
  std::vector<TerminalInfo> terminals{};
  bool reduced = false;  ///< long texts are cut so that the list fits a frame; written when true
};

/// Optional keys are absent, not null.
struct Ok {
  std::optional<std::uint64_t> written{};  ///< of an input with `ack`
  std::vector<std::int32_t> survivors{};   ///< of a `terminate` that could not kill all
};

/// `code` is absent only in `authentication failed`, which protocol 7 clients compare whole.
struct Error {
  std::string message{};
  std::optional<Code> code{};
  std::optional<std::uint64_t> written{};  ///< of an input with `ack` that was cut short

  Error() = default;
  Error(const troupe::Error& error)  // NOLINT(google-explicit-constructor)
      : message(error.message), code(error.code) {}
};

struct Snapshot {
  TerminalInfo terminal{};
  std::string text{};
  std::string checkpoint{};  ///< `checkpoint_base64`
  std::uint16_t cursor_x = 0;
  std::uint16_t cursor_y = 0;
  bool reduced = false;  ///< written only when true
};

struct Rows {
  TerminalInfo terminal{};
  std::vector<std::string> lines{};
  std::uint16_t cursor_x = 0;
  std::uint16_t cursor_y = 0;
};

struct Replay {
  StreamOffset requested_offset = 0;
  StreamOffset available_offset = 0;
  StreamOffset end_offset = 0;
  bool truncated = false;
  std::string data{};  ///< `data_base64`
};

/// The first frame of a subscription.
struct Attached {
  TerminalInfo terminal{};
  Role role = Role::observer;
  std::uint64_t generation = 0;
  StreamOffset requested_offset = 0;
  StreamOffset available_offset = 0;
  StreamOffset end_offset = 0;
  bool truncated = false;
  std::string replay{};  ///< `replay_base64`
};

/// `reason` is written for waits only; `epoch` is that of `next`.
struct Text {
  TextSlice slice{};
  bool matched = false;
  std::optional<WaitReason> reason{};
  std::optional<CommandRecord> record{};  ///< of `output`
};

struct Journal {
  std::uint64_t oldest_index = 0;
  std::uint64_t next_index = 0;
  std::vector<CommandRecord> records{};  ///< oldest first
  bool truncated = false;
};

/// Answer of `journal_wait`.
struct Command {
  std::optional<CommandRecord> record{};
  bool timed_out = false;
};

/// Answer of `run`.
struct CommandOutput {
  std::optional<CommandRecord> record{};
  bool timed_out = false;
  TextSlice slice{};
};

struct History {
  std::vector<std::string> lines{};
  Cursor start{};
  Cursor next{};
  bool truncated = false;
  bool evicted = false;
};

struct Match {
  Cursor start{};
  Cursor end{};
  std::string line{};
};
struct Matches {
  std::vector<Match> matches{};
  Cursor next{};
  bool truncated = false;
  bool evicted = false;
};

/// Answer of `wait_exit`.
struct Exit {
  std::optional<std::int32_t> exit_code{};
  std::optional<std::string> signal{};
  std::vector<std::int32_t> held_by{};
  bool timed_out = false;
};

struct Ledger {
  std::vector<LedgerEntry> terminals{};
};

/// Answer of `record`: of the running recording, else of the last one that there was.
struct Recording {
  bool active = false;
  std::optional<std::string> path{};
  std::optional<std::uint64_t> events{};  ///< rows so far, or at the end
  std::optional<std::string> error{};     ///< the fault that ended the last one
};

struct Status {
  std::string instance_id{};
  std::int32_t pid = 0;
  std::string version{};
  std::int64_t started_ms = 0;  ///< Unix milliseconds
  bool standalone = false;
  std::uint64_t terminals = 0;
  std::uint64_t running = 0;
  std::uint64_t connections = 0;
  std::uint64_t subscriptions = 0;
  std::uint64_t waits = 0;
  std::uint64_t retained_bytes = 0;  ///< logs, screens and history of all terminals
};

/// Answer of `terminals_wait`. Revisions of one daemon only grow; a slow client sees a later one.
struct TerminalsChanged {
  std::uint64_t revision = 0;
  bool timed_out = false;
};

/// A type that this client does not know; never sent.
struct Unknown {
  std::string type{};
};

}  // namespace reply

namespace event {

struct Resized {
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
  std::uint64_t generation = 0;
  std::string checkpoint{};  ///< `checkpoint_base64`
  bool reduced = false;      ///< written only when true
};

/// The last event of a subscription. `signal` and `held_by` are additions.
struct Exited {
  std::optional<std::int32_t> exit_code{};
  StreamOffset final_offset = 0;
  std::optional<std::string> signal{};
  std::vector<std::int32_t> held_by{};  ///< written only where not empty
};

struct ControllerChanged {
  std::optional<std::string> attachment_id{};
  std::uint64_t generation = 0;
};

struct TitleChanged {
  std::string title{};
};

struct ForegroundProcessChanged {
  std::optional<std::string> process{};
};

struct CommandStarted {
  CommandRecord record{};
};
struct CommandFinished {
  CommandRecord record{};
};

/// To subscriptions with `child_events`.
struct ChildExited {
  std::optional<std::int32_t> exit_code{};
  std::optional<std::string> signal{};
  std::vector<std::int32_t> held_by{};
};

/// The last frame of a multiplexed subscription.
struct Ended {
  EndReason reason = EndReason::terminated;
  StreamOffset offset = 0;
};

/// To subscriptions with `resync`: output from `lost_from` to `lost_to` will not come.
struct Resync {
  StreamOffset lost_from = 0;
  StreamOffset lost_to = 0;
  std::string checkpoint{};  ///< `checkpoint_base64`
  StreamOffset offset = 0;
  TerminalInfo terminal{};
  std::uint64_t generation = 0;
  bool reduced = false;  ///< written only when true
};

}  // namespace event

using Response =
    std::variant<reply::Pong, reply::Owned, reply::Handoff, reply::Created, reply::Terminals,
                 reply::Ok, reply::Error, reply::Snapshot, reply::Rows, reply::Replay,
                 reply::Attached, reply::Text, reply::Journal, reply::Command, reply::CommandOutput,
                 reply::History, reply::Matches, reply::Exit, reply::Ledger, reply::Recording,
                 reply::Status, reply::TerminalsChanged, event::Resized, event::Exited,
                 event::ControllerChanged, event::TitleChanged, event::ForegroundProcessChanged,
                 event::CommandStarted, event::CommandFinished, event::ChildExited, event::Ended,
                 event::Resync, reply::Unknown>;

/// The frame's `type`.
std::string_view type_name(const Response& response);

/// Protocol 7's answer to a wrong token, exactly.
reply::Error authentication_failed();

}  // namespace troupe::protocol
