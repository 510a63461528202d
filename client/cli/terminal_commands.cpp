// SPDX-License-Identifier: MIT
// Commands about terminals as such: list, rename, resize, signal, restart, close.
#include <algorithm>
#include <csignal>

#include "base/signal_name.hpp"
#include "client/attach/painter.hpp"
#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/table.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;

constexpr std::size_t max_cell_bytes = 200;

struct ListOptions {
  bool ended = false;
  bool watch = false;
};

int list_ended(const Context& context, Client& client) {
  if (const Result<> can = require(client, feature::ledger, "tell what ended"); !can) {
    return fail(can.error());
  }
  const Result<Reply> answer = client.call(request::Ledger{});
  if (!answer) {
    return fail(answer.error());
  }
  if (context.json) {
    print_reply(*answer);
    return exit_status::ok;
  }
  Table table{{"ID", "KIND", "EXIT", "REASON", "TITLE"}};
  for (const auto& entry : std::get<reply::Ledger>(answer->response).terminals) {
    const std::string exit = entry.signal      ? *entry.signal
                             : entry.exit_code ? std::to_string(*entry.exit_code)
                                               : std::string("-");
    table.add({std::to_string(entry.id.value), std::string(protocol::to_text(entry.kind)),
               printable(exit, max_cell_bytes), printable(entry.reason, max_cell_bytes),
               printable(entry.title, max_cell_bytes)});
  }
  print(table.text());
  return exit_status::ok;
}

int list_now(const Context& context, Client& client) {
  const Result<Reply> answer = client.call(request::List{});
  if (!answer) {
    return fail(answer.error());
  }
  if (context.json) {
    print_reply(*answer);
    return exit_status::ok;
  }
  const auto& terminals = std::get<reply::Terminals>(answer->response).terminals;
  if (terminals.empty()) {
    print_line("no terminals; try `troupe new`");
    return exit_status::ok;
  }
  const bool labels = std::any_of(terminals.begin(), terminals.end(),
                                  [](const TerminalInfo& it) { return it.label.has_value(); });
  std::vector<std::string> headings{"ID", "STATE", "SIZE", "PID", "RUNS", "TITLE"};
  if (labels) {
    headings.insert(headings.end() - 1, "LABEL");
  }
  Table table{std::move(headings)};
  for (const TerminalInfo& terminal : terminals) {
    std::vector<std::string> cells{
        std::to_string(terminal.id.value),
        lifecycle_text(terminal),
        std::to_string(terminal.cols) + "x" + std::to_string(terminal.rows),
        terminal.pid ? std::to_string(*terminal.pid) : "-",
        terminal.foreground_process ? printable(*terminal.foreground_process, max_cell_bytes) : "-",
        display_name(terminal)};
    if (labels) {
      cells.insert(cells.end() - 1, printable(terminal.label.value_or("-"), max_cell_bytes));
    }
    table.add(std::move(cells));
  }
  print(table.text());
  return exit_status::ok;
}

/// The list, and again whenever it has changed, until the person or the reader has enough.
int list_watching(const Context& context, Client& client) {
  static constexpr std::chrono::hours wait{1};
  if (const Result<> can =
          require(client, feature::terminals_wait, "tell when the list of terminals changes");
      !can) {
    return fail(can.error());
  }
  // The revision before the list: what changes between the two is printed twice, never missed.
  request::TerminalsWait next;
  next.timeout_ms = std::chrono::milliseconds{wait}.count();
  while (true) {
    const auto changed = client.ask<reply::TerminalsChanged>(
        next, std::chrono::milliseconds{wait} + Client::patience);
    if (!changed) {
      return fail(changed.error());
    }
    if (changed->timed_out) {
      continue;
    }
    if (next.revision && !context.json) {
      print("\n");
    }
    next.revision = changed->revision;
    const int status = list_now(context, client);
    const bool read_on = print({});  // whether anybody still takes what was written
    if (status != exit_status::ok || !read_on) {
      return status;
    }
  }
}

int list(const Context& context, Client& client, const ListOptions& options) {
  if (options.ended) {
    return list_ended(context, client);
  }
  return options.watch ? list_watching(context, client) : list_now(context, client);
}

struct RenameOptions {
  std::string terminal;
  std::string title;
};

int rename(const Context& context, Client& client, const TerminalInfo& terminal,
           const RenameOptions& options) {
  if (const Result<> can = require(client, feature::rename, "rename terminals"); !can) {
    return fail(can.error());
  }
  request::Rename rename{terminal.id, {}};
  if (!options.title.empty()) {
    rename.title = options.title;
  }
  return simple_call(context, client, rename);
}

struct ResizeOptions {
  std::string terminal;
  std::string size;
};

int resize(const Context& /*context*/, Client& client, const TerminalInfo& terminal,
           const ResizeOptions& options) {
  const Result<TextSize> size = parse_size(options.size);
  if (!size) {
    return usage_error(size.error().message);
  }
  const Result<Reply> answer =
      client.call(request::Resize{terminal.id, {}, size->cols, size->rows});
  if (!answer) {
    Error error = answer.error();
    const std::string id = std::to_string(terminal.id.value);
    if (error.code == Code::not_controller) {
      error.message +=
          "; the window of another client gives it its size (resize that window, or `" +
          std::string("troupe attach --takeover ") + id + "` from one of your own)";
    }
    return fail(error);
  }
  return exit_status::ok;
}

struct SignalOptions {
  std::string terminal;
  std::string signal = "TERM";
  std::string target = "foreground";
};

int signal(const Context& context, Client& client, const TerminalInfo& terminal,
           const SignalOptions& options) {
  const std::optional<int> number = signal_number(options.signal);
  const auto target = protocol::from_text<protocol::SignalTarget>(options.target);
  if (!number || !target) {
    return usage_error(number ? "the target is foreground, session or leader"
                              : "unknown signal " + options.signal +
                                    " (a name, RTMIN+N, or a number from 1 to " +
                                    std::to_string(SIGRTMAX) + ")");
  }
  if (const Result<> can = require(client, feature::control, "send signals"); !can) {
    return fail(can.error());
  }
  return simple_call(context, client, request::Signal{terminal.id, *number, *target});
}

struct OneTerminal {
  std::string terminal;
};

int restart(const Context& context, Client& client, const TerminalInfo& terminal,
            const OneTerminal& /*options*/) {
  if (const Result<> can = require(client, feature::control, "restart terminals"); !can) {
    return fail(can.error());
  }
  return simple_call(context, client, request::Restart{terminal.id});
}

struct CloseOptions {
  std::vector<std::string> terminals;
  bool force = false;
};

int close_one(const Context& context, Client& client, const TerminalInfo& terminal, bool force) {
  const auto ended = ask<reply::Ok>(context, client, request::Terminate{terminal.id, force});
  const std::string id = std::to_string(terminal.id.value);
  if (!ended) {
    Error error = ended.error();
    if (error.code == Code::busy && terminal.is_protected && !force) {
      error.message = display_name(terminal) + " is protected; `troupe close --force " + id +
                      "` closes it all the same";
    }
    return fail(error);
  }
  if (ended->survivors.empty()) {
    return exit_status::ok;
  }
  std::string text = "these processes could not be ended:";
  for (const std::int32_t pid : ended->survivors) {
    text += " " + std::to_string(pid);
  }
  text +=
      " (they may wait for a device or be another user's; `ps -o pid,stat,user,args -p PID` tells)";
  return fail(Error{Code::io, text});
}

int close(const Context& context, Client& client, const CloseOptions& options) {
  int status = exit_status::ok;
  for (const std::string& named : options.terminals) {
    const Result<TerminalInfo> terminal = find_terminal(client, named);
    const int one =
        terminal ? close_one(context, client, *terminal, options.force) : fail(terminal.error());
    status = std::max(status, one);
  }
  return status;
}

}  // namespace

void add_terminal_commands(CLI::App& app, Context& context) {
  const std::string terminals(group::terminals);
  {
    auto options = std::make_shared<ListOptions>();
    Command command(app, {terminals, "list", "List the terminals",
                          "  troupe list\n  troupe list --json | jq '.terminals[].id'\n"
                          "  troupe list --ended\n  troupe list --watch\n"});
    command.alias("ls");
    const Command::Option ended =
        command.flag("--ended", options->ended, "List terminals that are gone, and why");
    command.flag("--watch", options->watch, "Print the list again whenever it changes")
        .excludes(ended);
    command.json(context);
    on_client(command, context, options, list);
  }
  {
    auto options = std::make_shared<RenameOptions>();
    Command command(app, {terminals, "rename", "Give a terminal a title of its own",
                          "  troupe rename 123 build\n  troupe rename build   (as before)\n"});
    command.terminal(options->terminal);
    command.positional("TITLE", options->title, "The title; none gives the program's own back",
                       Presence::optional);
    on_terminal(command, context, options, rename);
  }
  {
    auto options = std::make_shared<ResizeOptions>();
    Command command(
        app, {terminals, "resize", "Change a terminal's size", "  troupe resize build 120x40\n"});
    command.terminal(options->terminal);
    command.positional("SIZE", options->size, "COLUMNSxROWS").is_size();
    on_terminal(command, context, options, resize);
  }
  {
    auto options = std::make_shared<SignalOptions>();
    Command command(app, {terminals, "signal", "Send a signal to what runs in a terminal",
                          "  troupe signal build INT\n  troupe signal build RTMIN+1\n"
                          "  troupe signal build KILL --target session\n"});
    command.terminal(options->terminal);
    command.positional("SIGNAL", options->signal, "Name, RTMIN+N or number (default TERM)",
                       Presence::optional);
    command.option("--target", options->target, "foreground, session or leader", "WHOM");
    on_terminal(command, context, options, signal);
  }
  {
    auto options = std::make_shared<OneTerminal>();
    Command command(app, {terminals, "restart", "Start an exited terminal's command again",
                          "  troupe restart build\n"});
    command.terminal(options->terminal);
    command.json(context);
    on_terminal(command, context, options, restart);
  }
  {
    auto options = std::make_shared<CloseOptions>();
    Command command(app,
                    {terminals, "close", "End terminals: their programs, and what is kept of them",
                     "  troupe close build\n  troupe close --force 123 456\n"});
    command.positionals("TERMINAL", options->terminals, "Ids, titles, or unique beginnings");
    command.flag("--force", options->force, "Also a protected terminal");
    command.json(context);
    on_client(command, context, options, close);
  }
}

}  // namespace troupe::client::cli
