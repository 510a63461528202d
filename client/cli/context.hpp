// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What every command of `troupe` shares: which daemon, how to print, how to end.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "client/client.hpp"
#include "protocol/terminal_info.hpp"

namespace CLI {
class App;
}

namespace troupe::client::cli {

namespace exit_status {
inline constexpr int ok = 0;
inline constexpr int error = 1;
inline constexpr int usage = 2;
inline constexpr int timeout = 124;
inline constexpr int signal_base = 128;
}  // namespace exit_status

/// The options of all commands, and the exit status that the chosen one leaves.
struct Context {
  DaemonAddress address;
  bool name_given = false;
  bool json = false;
  int words_after_dashes = -1;  ///< how many words followed `--`; -1: there was none
  int exit_code = exit_status::ok;
};

/// `error: …` on stderr; returns the exit status that belongs to it.
int fail(const Error& error);
int usage_error(std::string_view message);
/// `note: …` on stderr.
void note(std::string_view message);

/// Writes to stdout, all of it. False once the reader went away or a write failed; then nothing
/// more is written, and a command may end early or tidy up first.
bool print(std::string_view text);
/// The exit status of a program whose command ended with `status`: success is an error where a
/// write to stdout failed. A reader that went away (`troupe list | head -1`) is none.
int status_after_output(int status);
void print_line(std::string_view text);
/// The daemon's reply as one line of JSON, without `type` and `request_id`.
void print_reply(const Reply& reply);
/// The fields of both replies as one line of JSON; those of the second win.
void print_replies(const Reply& first, const Reply& second);

/// The running daemon.
Result<Client> open_client(const Context& context);
/// The running daemon, or a new standalone one; tells on stderr where that takes a while.
Result<Client> open_or_start(const Context& context);

/// The terminal that a person named: by id, by hex id, by title, or by a unique beginning of one.
/// `not_found` tells of one that has ended and is closed, as far as the daemon remembers it.
Result<protocol::TerminalInfo> find_terminal(Client& client, std::string_view named);
/// `error`, or what the daemon remembers of a terminal that is not found under this name.
Error explain_not_found(Client& client, std::string_view named, Error error);

/// Runs a command that needs a daemon, or one of its terminals, and keeps its exit status.
void with_client(Context& context, const std::function<int(Client&)>& command);
void with_terminal(Context& context, const std::string& named,
                   const std::function<int(Client&, const protocol::TerminalInfo&)>& command);

/// `unsupported` with a sentence that a person understands, where the daemon lacks a feature.
Result<> require(const Client& client, std::string_view feature, std::string_view what);

/// `title` or command of a terminal, safe to print.
std::string display_name(const protocol::TerminalInfo& terminal);
/// `running`, `exited 3`, `killed KILL`, `failed`.
std::string lifecycle_text(const protocol::TerminalInfo& terminal);
/// The exit status that stands for a terminal's end: its own, 0 … 255.
int status_of(std::optional<std::int32_t> exit_code);

/// `1.5`, `90s`, `500ms`, `2m`, `1h`: seconds where no unit is given.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
/// `120x40`: columns and rows, 1 … 65535.
struct TextSize {
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
};
Result<TextSize> parse_size(std::string_view text);

/// This program's working directory; an error that names it where it was deleted. The daemon would
/// start programs in the home directory then, which is not what was meant.
Result<std::string> working_directory();
/// `path` from the root on, for a daemon that has another working directory.
Result<std::string> absolute_path(const std::string& path);

/// `troupe 0.1.0 (protocol 7)`.
std::string version_text();

// One function a group of commands; each adds them to the program.
void add_terminal_commands(CLI::App& app, Context& context);
void add_view_commands(CLI::App& app, Context& context);
void add_input_commands(CLI::App& app, Context& context);
void add_attach_commands(CLI::App& app, Context& context);
void add_daemon_commands(CLI::App& app, Context& context);
void add_journal_commands(CLI::App& app, Context& context);
void add_wait_commands(CLI::App& app, Context& context);
void add_run_command(CLI::App& app, Context& context);
void add_console_command(CLI::App& app, Context& context);
void add_recording_commands(CLI::App& app, Context& context);
void add_shell_commands(CLI::App& app, Context& context);

}  // namespace troupe::client::cli
