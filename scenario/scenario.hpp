// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A scenario as a value: what a file says, checked, before it is decided how it is played.
/// docs/scenarios.md is the reference of the file.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/words.hpp"
#include "scenario/problem.hpp"

namespace troupe::scenario {

using Milliseconds = std::chrono::milliseconds;

inline constexpr std::size_t max_participants = 64;
inline constexpr std::size_t max_steps = 256;  ///< of a participant, macros filled in
inline constexpr std::size_t max_name_bytes = 128;
inline constexpr Milliseconds default_timeout{30'000};

/// How a participant is reached over a network. Absent: from the persona, else the daemon's
/// default. A password is named, never held.
struct RemoteOptions {
  std::optional<std::string> host{};
  std::optional<std::uint16_t> port{};
  std::optional<std::string> user{};
  std::optional<std::string> key_path{};
  std::optional<std::string> known_hosts{};
  std::optional<bool> insecure_no_host_check{};
  std::optional<bool> use_ssh_config{};
  std::optional<bool> use_agent{};
  std::optional<std::string> term{};
  std::optional<std::string> encoding{};
  std::optional<std::uint32_t> connect_timeout_s{};
  std::optional<std::uint32_t> keepalive_s{};
  std::optional<std::string> password_env{};
  std::optional<std::string> passphrase_env{};
};

struct RecordingChoice {
  bool on = false;
  std::optional<std::string> path{};
};

/// How a participant's terminal is made.
struct TerminalOptions {
  std::optional<protocol::TerminalKind> kind{};
  std::optional<std::string> command{};      ///< one text: a program, or a line for /bin/sh
  std::vector<std::string> command_words{};  ///< a list: a program and its arguments
  std::optional<std::vector<std::string>> args{};
  std::optional<std::string> cwd{};
  std::map<std::string, std::string> env{};
  std::optional<std::uint16_t> cols{};
  std::optional<std::uint16_t> rows{};
  std::optional<RecordingChoice> recording{};
  std::optional<protocol::Redaction> redact{};
  std::optional<bool> integrate{};
  RemoteOptions remote{};
};

/// The program's end, with this status where one is given.
struct ExitWanted {
  std::optional<int> status{};
};

/// What is waited for. `needle`, `regex` and `idle` may stand together (the first one counts);
/// `exit` and `command` stand alone.
struct Condition {
  std::optional<std::string> needle{};
  std::optional<std::string> regex{};
  std::optional<Milliseconds> idle{};
  std::optional<ExitWanted> exit{};
  std::optional<std::string> command{};  ///< a line for the shell, which must end with status 0
  Milliseconds timeout = default_timeout;
};

namespace step {

/// Bytes as they are, with a carriage return after them where `enter`.
struct Send {
  std::string text{};
  bool enter = false;
};
struct Keys {
  std::vector<std::string> keys{};
};
struct Paste {
  std::string text{};
};
struct Wait {
  Condition condition{};
};
/// A command line for the shell. No `status`: any.
struct Run {
  std::string line{};
  std::optional<int> status = 0;
  Milliseconds timeout = default_timeout;
};
/// The value of an environment variable and a carriage return.
struct Secret {
  std::string variable{};
};

}  // namespace step

struct Step {
  int line = 0;
  std::variant<step::Send, step::Keys, step::Paste, step::Wait, step::Run, step::Secret> what{};

  /// `send`, `keys` …, as the file calls it.
  [[nodiscard]] std::string_view name() const;
};

struct Participant {
  int line = 0;
  std::string name{};  ///< `name`, else `role`, else `persona`; no two alike
  std::optional<std::string> persona{};
  int persona_line = 0;
  std::optional<std::string> role{};
  std::optional<std::string> title{};
  std::optional<std::string> label{};
  bool is_protected = false;
  TerminalOptions options{};
  std::vector<std::string> needs{};
  int needs_line = 0;
  std::optional<Condition> ready{};
  int ready_line = 0;
  std::vector<Step> steps{};
};

struct Scenario {
  Place place{};
  std::string name{};
  std::string description{};
  std::optional<std::string> personas{};  ///< path of their file
  int personas_line = 0;
  TerminalOptions defaults{};
  std::vector<Participant> participants{};
};

/// Reads a scenario's file.
Read<Scenario> read_scenario(std::string_view text, const Place& place);

/// Only its name, so that a scenario can be closed whose file is wrong elsewhere.
Read<std::string> read_scenario_name(std::string_view text, const Place& place);

}  // namespace troupe::scenario
