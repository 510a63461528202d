// SPDX-License-Identifier: MIT
// The playground: a daemon of its own, and a prompt to try things at: console.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/environment.hpp"
#include "client/attach/output_filter.hpp"
#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/inherited_environment.hpp"
#include "client/cli/spelling.hpp"
#include "client/daemon_start.hpp"
#include "protocol/limits.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;
using std::chrono::milliseconds;

constexpr milliseconds quiet_time{300};
constexpr milliseconds run_patience{10'000};

constexpr std::string_view help_text =
    "  create [PROGRAM ARGS...]  start a program (your shell) and choose it\n"
    "  list                      the terminals\n"
    "  choose TERMINAL           the one that the following commands mean\n"
    "  run COMMAND LINE          type it with Enter, wait for quiet, show the screen\n"
    "  send TEXT                 type text; \\n is Enter, \\x03 is Ctrl-C\n"
    "  show                      the screen\n"
    "  replay                    everything it printed, as far as it is kept\n"
    "  resize 120x40             its size\n"
    "  wait [TIME]               until its program exits\n"
    "  kill                      end it\n"
    "  quit                      end the daemon and everything in it\n";

/// One session at the prompt: the client, and the chosen terminal.
class Console {
 public:
  Console(Client& client, Context& context) : client_(client), context_(context) {}

  /// False once the person is done.
  bool line(const std::string& text);

 private:
  using Action = int (Console::*)(const std::string& rest);
  struct Command {
    std::string_view name;
    Action action;
    bool needs_terminal;
  };

  int create(const std::string& rest);
  int list(const std::string& rest);
  int choose(const std::string& rest);
  int run(const std::string& rest);
  int send(const std::string& rest);
  int show(const std::string& rest);
  int replay(const std::string& rest);
  int resize(const std::string& rest);
  int wait(const std::string& rest);
  int kill(const std::string& rest);
  int help(const std::string& rest);

  int type(const std::string& bytes);

  static const std::array<Command, 11> commands;

  Client& client_;
  Context& context_;
  std::optional<TerminalId> chosen_;
};

const std::array<Console::Command, 11> Console::commands{{
    {"create", &Console::create, false},
    {"list", &Console::list, false},
    {"choose", &Console::choose, false},
    {"run", &Console::run, true},
    {"send", &Console::send, true},
    {"show", &Console::show, true},
    {"replay", &Console::replay, true},
    {"resize", &Console::resize, true},
    {"wait", &Console::wait, true},
    {"kill", &Console::kill, true},
    {"help", &Console::help, false},
}};

bool Console::line(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string::npos) {
    return true;
  }
  const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
  const std::string word = text.substr(start, end - start);
  const std::size_t rest = text.find_first_not_of(" \t", end);
  if (word == "quit" || word == "exit") {
    return false;
  }
  for (const Command& command : commands) {
    if (command.name != word) {
      continue;
    }
    if (command.needs_terminal && !chosen_) {
      (void)usage_error("no terminal is chosen; try create");
    } else {
      (void)(this->*command.action)(rest == std::string::npos ? std::string{} : text.substr(rest));
    }
    return true;
  }
  (void)usage_error("unknown command " + word + "; help lists them");
  return true;
}

int Console::create(const std::string& rest) {
  request::Create create;
  std::istringstream words(rest);
  std::string word;
  while (words >> word) {
    if (create.program.empty()) {
      create.program = word;
    } else {
      create.args.push_back(word);
    }
  }
  if (create.program.empty()) {
    create.program = environment_value("SHELL").value_or("/bin/sh");
  }
  std::error_code error;
  create.cwd = std::filesystem::current_path(error).string();
  create.title = std::filesystem::path(create.program).filename().string();
  create.env = inherited_environment();
  const auto created = client_.ask<reply::Created>(create);
  if (!created) {
    return fail(created.error());
  }
  chosen_ = created->terminal.id;
  print_line("chosen: " + std::to_string(chosen_->value) + " " + display_name(created->terminal));
  return exit_status::ok;
}

int Console::list(const std::string& /*rest*/) {
  const auto terminals = client_.ask<reply::Terminals>(request::List{});
  if (!terminals) {
    return fail(terminals.error());
  }
  for (const TerminalInfo& terminal : terminals->terminals) {
    print_line((chosen_ == terminal.id ? "* " : "  ") + std::to_string(terminal.id.value) + "  " +
               lifecycle_text(terminal) + "  " + display_name(terminal));
  }
  return exit_status::ok;
}

int Console::choose(const std::string& rest) {
  const Result<TerminalInfo> terminal = find_terminal(client_, rest);
  if (!terminal) {
    return fail(terminal.error());
  }
  chosen_ = terminal->id;
  return exit_status::ok;
}

int Console::type(const std::string& bytes) {
  return simple_call(context_, client_, request::Write{*chosen_, {}, bytes, false});
}

int Console::run(const std::string& rest) {
  const int typed = type(rest + "\r");
  if (typed != exit_status::ok) {
    return typed;
  }
  if (client_.has(feature::text)) {
    request::Wait quiet;
    quiet.id = *chosen_;
    quiet.cursor = CursorNow{};
    quiet.idle_ms = quiet_time.count();
    quiet.timeout_ms = run_patience.count();
    quiet.max_bytes = 1;
    (void)client_.call(quiet, run_patience + Client::patience);
  }
  return show({});
}

int Console::send(const std::string& rest) {
  return type(decode_escapes(rest));
}

int Console::show(const std::string& /*rest*/) {
  const auto rows = client_.ask<reply::Rows>(request::ReadRows{*chosen_, {}});
  if (!rows) {
    return fail(rows.error());
  }
  std::size_t used = rows->lines.size();
  while (used > 0 && rows->lines[used - 1].empty()) {
    --used;
  }
  for (std::size_t row = 0; row < used; ++row) {
    print_line("| " + rows->lines[row]);
  }
  return exit_status::ok;
}

int Console::replay(const std::string& /*rest*/) {
  auto replay = client_.ask<reply::Replay>(request::Replay{*chosen_, 0});
  if (!replay) {
    return fail(replay.error());
  }
  OutputFilter filter;
  std::string shown;
  filter.feed(replay->data, shown);
  shown += filter.modes().restore();
  print(shown);
  print_line("\n[bytes " + std::to_string(replay->available_offset) + " to " +
             std::to_string(replay->end_offset) + "]");
  return exit_status::ok;
}

int Console::resize(const std::string& rest) {
  const Result<TextSize> size = parse_size(rest);
  return size
             ? simple_call(context_, client_, request::Resize{*chosen_, {}, size->cols, size->rows})
             : usage_error(size.error().message);
}

int Console::wait(const std::string& rest) {
  const Result<milliseconds> timeout =
      rest.empty() ? Result<milliseconds>{milliseconds{protocol::max_timeout_ms}}
                   : parse_duration(rest);
  if (!timeout) {
    return usage_error(timeout.error().message);
  }
  const auto exit = client_.ask<reply::Exit>(request::WaitExit{*chosen_, timeout->count()},
                                             *timeout + Client::patience);
  if (!exit) {
    return fail(exit.error());
  }
  print_line(exit->timed_out ? "still running"
                             : "exited " + std::to_string(status_of(exit->exit_code)));
  return exit_status::ok;
}

int Console::kill(const std::string& /*rest*/) {
  const int status = simple_call(context_, client_, request::Terminate{*chosen_, true});
  chosen_.reset();
  return status;
}

int Console::help(const std::string& /*rest*/) {
  print(help_text);
  return exit_status::ok;
}

struct ConsoleOptions {};

/// Starts a daemon that lives as long as this process owns it.
Result<Client> start_owned(const Context& context, const DaemonAddress& address) {
  if (Client::open(address)) {
    return Error{Code::busy, "a daemon named " + address.name +
                                 " runs already; console wants one of its own (--name)"};
  }
  StartOptions options;
  options.command = {daemon_program(), "daemon", "--name", address.name};
  if (!context.address.root.empty()) {
    const Result<std::string> root = absolute_path(context.address.root);
    if (!root) {
      return root.error();
    }
    options.command.insert(options.command.end(), {"--runtime-dir", *root});
  }
  return find_or_start(address, options);
}

int console(Context& context, const ConsoleOptions& /*options*/) {
  DaemonAddress address = context.address;
  if (!context.name_given) {
    address.name = "console-" + std::to_string(::getpid());
  }
  Result<Client> client = start_owned(context, address);
  if (!client) {
    return fail(client.error());
  }
  Result<Connection> owner = client->connect();
  if (!owner) {
    return fail(owner.error());
  }
  const Result<Reply> owned =
      owner->call(request::Own{client->registration().instance_id, {}}, after(Client::patience));
  if (!owned) {
    return fail(owned.error());
  }
  const bool person = ::isatty(STDIN_FILENO) != 0;
  if (person) {
    print_line("daemon " + address.name + " pid=" + std::to_string(client->registration().pid) +
               ", ours until quit; help lists the commands");
  }
  Console session(*client, context);
  std::string text;
  while (true) {
    if (person) {
      print("> ");
    }
    if (!std::getline(std::cin, text) || !session.line(text)) {
      break;
    }
  }
  const int pid = client->registration().pid;
  (void)client->call(request::Shutdown{});
  const Result<> ended = wait_process_end(pid, after(Client::patience));
  return ended ? exit_status::ok : fail(ended.error());
}

}  // namespace

void add_console_command(CLI::App& app, Context& context) {
  Command command(app,
                  {group::daemon, "console", "Start a daemon of its own and try things at a prompt",
                   "  troupe console\n  printf 'create\\nrun date\\nquit\\n' | troupe "
                   "console\n"});
  on_run(command, context, std::make_shared<ConsoleOptions>(), console);
}

}  // namespace troupe::client::cli
