// SPDX-License-Identifier: MIT
// Commands that bring a terminal to the person: new, attach.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/environment.hpp"
#include "client/attach/attach.hpp"
#include "client/attach/painter.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/inherited_environment.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;

constexpr const char* detach_key_variable = "TROUPE_DETACH_KEY";
constexpr std::size_t max_name_bytes = 200;

Result<DetachKey> detach_key_of(const std::string& given) {
  if (!given.empty()) {
    return parse_detach_key(given);
  }
  const std::optional<std::string> chosen = environment_value(detach_key_variable);
  return chosen ? parse_detach_key(*chosen) : Result<DetachKey>{DetachKey{}};
}

void add_detach_key(Command& command, std::string& key) {
  command.option("--detach-key", key,
                 "The key that detaches: Ctrl-] unless chosen here or in TROUPE_DETACH_KEY", "KEY");
}

/// Says how an attach ended, as the last line in the person's window.
int report(const AttachOutcome& outcome, const TerminalInfo& terminal) {
  const std::string name = display_name(terminal);
  switch (outcome.end) {
    case AttachEnd::detached:
      std::fprintf(stderr, "\n[detached from %s; troupe attach %llu comes back]\n", name.c_str(),
                   static_cast<unsigned long long>(terminal.id.value));
      return exit_status::ok;
    case AttachEnd::exited:
      std::fprintf(stderr, "\n[%s exited: %d]\n", name.c_str(), status_of(outcome.exit_code));
      return status_of(outcome.exit_code);
    case AttachEnd::signalled:
      return exit_status::signal_base + outcome.signal;
    case AttachEnd::closed:
      break;
  }
  std::fputs("\n", stderr);
  return fail(Error{Code::io, name + ": " + outcome.reason});
}

int attach_to(Client& client, const TerminalInfo& terminal, Participation participation,
              const std::string& key_text) {
  const Result<DetachKey> key = detach_key_of(key_text);
  if (!key) {
    return usage_error(key.error().message);
  }
  const Result<AttachOutcome> outcome =
      attach(client, AttachOptions{terminal.id, participation, *key});
  return outcome ? report(*outcome, terminal) : fail(outcome.error());
}

struct AttachCommandOptions {
  std::string terminal;
  bool observe = false;
  bool takeover = false;
  std::string detach_key;
};

int attach_command(const Context& /*context*/, Client& client, const TerminalInfo& terminal,
                   const AttachCommandOptions& options) {
  const Participation participation = options.observe    ? Participation::observe
                                      : options.takeover ? Participation::take_over
                                                         : Participation::take_part;
  return attach_to(client, terminal, participation, options.detach_key);
}

struct NewOptions {
  bool detached = false;
  std::string cwd;
  std::vector<std::string> env;
  std::string size;
  std::string title;
  bool integrate = false;
  bool daemon_env = false;
  bool is_protected = false;
  bool keep = false;
  bool record = false;
  std::string label;
  std::string detach_key;
  std::vector<std::string> command;
};

Result<TextSize> size_for(const NewOptions& options) {
  if (!options.size.empty()) {
    return parse_size(options.size);
  }
  winsize window{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  return known ? TextSize{window.ws_col, window.ws_row} : TextSize{80, 24};
}

Result<request::Create> create_request(const NewOptions& options,
                                       const std::vector<std::string>& command) {
  namespace fs = std::filesystem;
  request::Create create;
  std::error_code error;
  const Result<std::string> directory = absolute_path(options.cwd);
  if (!directory) {
    return Error{directory.error().code, directory.error().message + ", or give --cwd DIR"};
  }
  create.cwd = *directory;
  if (!fs::is_directory(create.cwd, error)) {
    return Error{Code::bad_request, create.cwd + " is not a directory"};
  }
  const Result<TextSize> size = size_for(options);
  if (!size) {
    return size.error();
  }
  create.cols = size->cols;
  create.rows = size->rows;
  create.program = command.empty() ? environment_value("SHELL").value_or("/bin/sh") : command[0];
  create.args.assign(command.begin() + (command.empty() ? 0 : 1), command.end());
  create.title =
      options.title.empty() ? fs::path(create.program).filename().string() : options.title;
  if (!options.daemon_env) {
    create.env = inherited_environment();
  }
  for (const std::string& setting : options.env) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Code::bad_request, "--env takes NAME=VALUE, not " + setting};
    }
    create.env[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  create.integrate = options.integrate;
  create.is_protected = options.is_protected;
  if (options.record) {
    create.recording.emplace();
  }
  if (!options.label.empty()) {
    create.label = options.label;
  }
  return create;
}

int new_terminal(Context& context, const NewOptions& options) {
  const bool can_attach = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  if (!options.detached && !context.json && !can_attach) {
    return usage_error("attaching needs a terminal; -d starts the new one detached");
  }
  if (const Result<DetachKey> key = detach_key_of(options.detach_key); !key) {
    return usage_error(key.error().message);
  }
  const Result<request::Create> create = create_request(options, options.command);
  if (!create) {
    return usage_error(create.error().message);
  }
  Result<Client> client = open_or_start(context);
  if (!client) {
    return fail(client.error());
  }
  if (options.integrate) {
    if (const Result<> can = require(*client, feature::integrate, "load shell integration"); !can) {
      return fail(can.error());
    }
  }
  if (options.record) {
    if (const Result<> can = require(*client, feature::recording, "record terminals"); !can) {
      return fail(can.error());
    }
  }
  const Result<Reply> answer = client->call(*create);
  if (!answer) {
    return fail(answer.error());
  }
  const TerminalInfo& terminal = std::get<reply::Created>(answer->response).terminal;
  if (!options.title.empty()) {
    // A name that somebody gave stays one to find the terminal by, whatever its program calls
    // itself. A daemon that cannot rename has the title as it was created.
    (void)client->call(request::Rename{terminal.id, options.title});
  }
  if (context.json) {
    print_reply(*answer);
    return exit_status::ok;
  }
  if (options.detached) {
    print_line(std::to_string(terminal.id.value));
    return exit_status::ok;
  }
  const Result<AttachOutcome> outcome = attach(
      *client,
      AttachOptions{terminal.id, Participation::take_part, *detach_key_of(options.detach_key)});
  if (!outcome) {
    return fail(outcome.error());
  }
  if (outcome->end == AttachEnd::exited && !options.keep) {
    (void)client->call(request::Terminate{terminal.id, true});
  }
  return report(*outcome, terminal);
}

}  // namespace

void add_attach_commands(CLI::App& app, Context& context) {
  {
    auto options = std::make_shared<NewOptions>();
    Command command(
        app, {group::terminals, "new", "Start a program (your shell) in a new terminal, and attach",
              "  troupe new\n  troupe new -d --title build -- make -j8\n"
              "  troupe new --cwd ~/src --env DEBUG=1 --size 200x50 -d\n"});
    command.flag("-d,--detached", options->detached, "Do not attach; print the new id");
    command.option("--cwd", options->cwd, "Directory to start in (default: this one)", "DIR");
    command.option("--env", options->env, "Set a variable; may be repeated", "NAME=VALUE");
    command.flag("--daemon-env", options->daemon_env,
                 "Start from the daemon's environment, not from yours");
    command.option("--size", options->size, "COLUMNSxROWS (default: this window, or 80x24)", "SIZE")
        .is_size();
    command.option("--title", options->title, "Title (default: the program's name)", "TEXT");
    command.option("--label", options->label, "A word of your own to find it by", "TEXT");
    command.flag("--integrate", options->integrate,
                 "Load the shell integration, for this terminal only");
    command.flag("--record", options->record, "Record it (see `troupe record --help`)");
    command.flag("--protected", options->is_protected, "Closing it needs --force");
    command.flag("--keep", options->keep, "Keep the screen and history after the program exits");
    add_detach_key(command, options->detach_key);
    command.json(context);
    command.positionals("COMMAND", options->command,
                        "The program and its arguments (default: your shell)", Presence::optional);
    on_run(command, context, options, new_terminal);
  }
  {
    auto options = std::make_shared<AttachCommandOptions>();
    Command command(
        app, {group::terminals, "attach", "Show a terminal here and type into it (Ctrl-] detaches)",
              "  troupe attach build\n  troupe attach build --observe\n"
              "  troupe attach build --detach-key ctrl-a\n"});
    command.terminal(options->terminal);
    Command::Option observe = command.flag("--observe", options->observe,
                                           "Only watch: never type, never change its size");
    command.flag("--takeover", options->takeover, "Take control from the client that has it")
        .excludes(observe);
    add_detach_key(command, options->detach_key);
    on_terminal(command, context, options, attach_command);
  }
}

}  // namespace troupe::client::cli
