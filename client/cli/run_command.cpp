// SPDX-License-Identifier: MIT
// The command that runs one command line and gives its output and exit code: run.
#include <algorithm>

#include "base/environment.hpp"
#include "client/attach/painter.hpp"
#include "client/attach/signal_source.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/inherited_environment.hpp"
#include "client/cli/lease.hpp"
#include "client/cli/record_text.hpp"
#include "client/cli/spelling.hpp"
#include "client/cli/terminal_name.hpp"
#include "protocol/limits.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;
using std::chrono::milliseconds;

constexpr std::size_t default_output_bytes = std::size_t{256} * 1024;
/// How long a background process may hold the terminal after the command has ended.
constexpr std::int64_t drain_ms = 500;
/// How long after its terminal's end that of a shell may become known.
constexpr milliseconds shell_end_wait{2000};
/// How long a line with an open quote may take to start a command after all.
constexpr milliseconds open_quote_patience{3000};
constexpr std::size_t max_signal_bytes = 40;
constexpr std::uint16_t run_cols = 200;  // wide: programs then wrap less
constexpr std::uint16_t run_rows = 50;

constexpr std::string_view nothing_to_run =
    "the command is empty or a comment: a shell runs nothing then, and there is no end to wait for";

struct RunOptions {
  std::string terminal;
  bool fresh = false;
  std::string timeout;
  std::size_t max_bytes = default_output_bytes;
  bool takeover = false;
  std::vector<std::string> words;
};

/// One word is a command line as it stands; several are quoted for the shell one by one.
std::string command_line(const std::vector<std::string>& words) {
  if (words.size() == 1) {
    return words[0];
  }
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + shell_word(word);
  }
  return line;
}

/// The exit status of a command that ended its shell (`exit 3`, `exec make`): the shell's own. Its
/// end becomes known a moment after that of the terminal's text.
int status_of_shell(Client& client, TerminalId id) {
  const Result<reply::Exit> exit =
      client.has(feature::child_exit)
          ? client.ask<reply::Exit>(request::WaitExit{id, shell_end_wait.count()},
                                    shell_end_wait + Client::patience)
          : Result<reply::Exit>{reply::Exit{}};
  if (!exit) {
    return fail(exit.error());
  }
  const std::string how = exit->signal ? ": killed " + printable(*exit->signal, max_signal_bytes)
                          : exit->exit_code ? ": exited " + std::to_string(*exit->exit_code)
                                            : std::string(", and its status is not known");
  note("the shell itself ended" + how);
  return status_of(exit->exit_code);
}

int run_in(const Context& context, Client& client, const TerminalInfo& terminal,
           const RunOptions& options, const std::vector<std::string>& words, milliseconds timeout) {
  const std::string line = command_line(words);
  if (!runs_something(line)) {
    return usage_error(nothing_to_run);
  }
  if (const Result<> can = require(client, feature::journal, "run commands in a shell"); !can) {
    return fail(can.error());
  }
  request::Run request;
  request.id = terminal.id;
  request.text = line;
  request.timeout_ms = timeout.count();
  request.max_bytes = options.max_bytes;
  std::optional<Lease> lease;
  if (options.takeover) {
    Result<Lease> taken = take_control(client, terminal);
    if (!taken) {
      return fail(taken.error());
    }
    request.attachment_id = taken->attachment;
    lease.emplace(std::move(*taken));
  }
  const bool open = has_open_quote(line);
  if (open) {
    // The shell will most likely wait for more: that is told soon, not in a day.
    request.timeout_ms = std::min(request.timeout_ms, open_quote_patience.count());
  }
  const std::string id = std::to_string(terminal.id.value);
  const milliseconds wait = timeout + Client::patience;
  // Ctrl-C stops the waiting, not the command.
  const SignalSource interrupts{SIGINT, SIGTERM, SIGHUP};
  client.interrupt_on(interrupts.fd());
  if (lease) {
    lease->connection.interrupt_on(interrupts.fd());
  }
  const Result<Reply> answer =
      lease ? lease->connection.call(request, after(wait)) : client.call(request, wait);
  client.interrupt_on(-1);
  if (!answer && answer.error().code == Code::cancelled) {
    note("the command goes on in " + display_name(terminal) + "; `troupe show " + id +
         "` shows it, `troupe output " + id + " --wait TIME` waits on, `troupe keys " + id +
         " ctrl+c` ends it");
    return exit_status::signal_base + interrupts.take();
  }
  if (!answer) {
    return fail(explain_refusal(answer.error()));
  }
  const auto& result = std::get<reply::CommandOutput>(answer->response);
  if (context.json) {
    print_reply(*answer);
  } else {
    print_slice(result.slice, "troupe output " + id + " " +
                                  (result.record ? std::to_string(result.record->index) : "") +
                                  " --from " + cursor_text(result.slice.next));
  }
  if (!result.record && open) {
    return fail(Error{Code::timeout,
                      "a quote is open: the shell waits for the rest of the line, and no command "
                      "has started; `troupe keys " +
                          id + " ctrl+c` drops the line"});
  }
  if (!result.record) {
    return fail(Error{Code::timeout,
                      "no command was seen to start; either the shell does not mark its commands "
                      "(`troupe shell-integration`), or it waits for the rest of the line, such as "
                      "a closing quote (`troupe show " +
                          id + "`; `troupe keys " + id + " ctrl+c` drops the line)"});
  }
  if (result.timed_out) {
    note("still running; `troupe output " + id + " " + std::to_string(result.record->index) +
         " --wait TIME` waits on");
    return exit_status::timeout;
  }
  return result.record->pty_exited && !result.record->exit_code
             ? status_of_shell(client, terminal.id)
             : status_of_record(*result.record);
}

request::Create fresh_terminal(const std::string& line, const std::string& directory) {
  request::Create create;
  create.program = environment_value("SHELL").value_or("/bin/sh");
  create.args = {"-c", line};
  create.cwd = directory;
  create.title = "run";
  create.env = inherited_environment();
  create.cols = run_cols;
  create.rows = run_rows;
  create.drain_ms = drain_ms;
  return create;
}

/// Prints all text of a finished terminal, page by page, at most `max_bytes`.
Result<> print_all(Client& client, TerminalId id, std::size_t max_bytes) {
  CursorSpec cursor = CursorOldest{};
  std::size_t printed = 0;
  std::string last = "\n";
  while (true) {
    const auto page = client.ask<reply::Text>(
        request::Since{id, cursor, std::max<std::size_t>(max_bytes - printed, 1)});
    if (!page) {
      return page.error();
    }
    const TextSlice& slice = page->slice;
    if (!print(slice.text)) {
      return success();
    }
    printed += slice.text.size();
    last = slice.text.empty() ? last : slice.text.substr(slice.text.size() - 1);
    if (slice.evicted) {
      note("the beginning is no longer kept");
    }
    if (!slice.truncated || printed >= max_bytes) {
      print(last == "\n" ? "" : "\n");  // also where it is cut: nothing goes on here
      if (slice.truncated) {
        note("cut after " + std::to_string(printed) + " bytes (--max-bytes)");
      }
      return success();
    }
    cursor = CursorAt{slice.next.seq, slice.next.col, slice.next.epoch};
  }
}

int finish_fresh(const Context& context, Client& client, TerminalId id, const RunOptions& options,
                 milliseconds timeout, const SignalSource& interrupts) {
  client.interrupt_on(interrupts.fd());
  const Result<Reply> answer =
      client.call(request::WaitExit{id, timeout.count()}, timeout + Client::patience);
  client.interrupt_on(-1);
  if (!answer) {
    return answer.error().code == Code::cancelled ? exit_status::signal_base + interrupts.take()
                                                  : fail(answer.error());
  }
  const auto& exit = std::get<reply::Exit>(answer->response);
  if (!exit.timed_out) {
    // Its last output may still be on its way through the terminal.
    (void)client.call(request::Wait{id, CursorNow{}, {}, {}, {}, true, 2 * drain_ms, 1});
  }
  if (context.json) {
    const Result<Reply> text = client.call(request::Since{id, CursorOldest{}, options.max_bytes});
    if (text) {
      print_replies(*answer, *text);
    }
  } else if (const Result<> printed = print_all(client, id, options.max_bytes); !printed) {
    return fail(printed.error());
  }
  if (exit.timed_out) {
    note("the command did not end in time and is ended now");
    return exit_status::timeout;
  }
  return status_of(exit.exit_code);
}

int run_fresh(const Context& context, const RunOptions& options, milliseconds timeout) {
  const std::string line = command_line(options.words);
  if (!runs_something(line)) {
    return usage_error(nothing_to_run);
  }
  const Result<std::string> directory = working_directory();
  if (!directory) {
    return usage_error(directory.error().message);
  }
  Result<Client> client = open_or_start(context);
  if (!client) {
    return fail(client.error());
  }
  for (const std::string_view needed : {feature::child_exit, feature::text}) {
    if (const Result<> can = require(*client, needed, "run commands"); !can) {
      return fail(can.error());
    }
  }
  // So that the terminal is closed, whatever ends this command.
  const SignalSource interrupts{SIGINT, SIGTERM, SIGHUP};
  const auto created = client->ask<reply::Created>(fresh_terminal(line, *directory));
  if (!created) {
    return fail(created.error());
  }
  const TerminalId id = created->terminal.id;
  const int status = finish_fresh(context, *client, id, options, timeout, interrupts);
  (void)client->call(request::Terminate{id, true});
  return status;
}

/// The terminal that the first word names, where the words can be read that way.
Result<std::optional<TerminalInfo>> first_word_terminal(Client& client, const Context& context,
                                                        const RunOptions& options) {
  const auto after_dashes = context.words_after_dashes;
  const bool all_after =
      after_dashes >= 0 && static_cast<std::size_t>(after_dashes) == options.words.size();
  if (options.words.size() < 2 || all_after) {
    return std::optional<TerminalInfo>{};
  }
  auto list = client.ask<reply::Terminals>(request::List{});
  if (!list) {
    return list.error();
  }
  const Result<std::size_t> index =
      match_terminal(list->terminals, options.words[0], Matching::exact);
  if (index) {
    return std::optional<TerminalInfo>{std::move(list->terminals[*index])};
  }
  const std::string& word = options.words[0];
  const bool like_an_id =
      word.size() >= 10 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
  const bool one_word_before =
      after_dashes >= 0 && static_cast<std::size_t>(after_dashes) + 1 == options.words.size();
  if (like_an_id || one_word_before || index.error().code != Code::not_found) {
    return explain_not_found(client, word, index.error());
  }
  return std::optional<TerminalInfo>{};
}

int run(Context& context, const RunOptions& options) {
  const Result<milliseconds> timeout =
      options.timeout.empty() ? Result<milliseconds>{milliseconds{protocol::max_timeout_ms}}
                              : parse_duration(options.timeout);
  if (!timeout) {
    return usage_error(timeout.error().message);
  }
  if (options.words.empty()) {
    return usage_error("run needs a command");
  }
  if (options.fresh) {
    return run_fresh(context, options, *timeout);
  }
  Result<Client> client = open_client(context);
  if (!client) {
    const bool start = client.error().code == Code::not_found && options.terminal.empty();
    return start ? run_fresh(context, options, *timeout) : fail(client.error());
  }
  if (!options.terminal.empty()) {
    const Result<TerminalInfo> terminal = find_terminal(*client, options.terminal);
    return terminal ? run_in(context, *client, *terminal, options, options.words, *timeout)
                    : fail(terminal.error());
  }
  const auto first = first_word_terminal(*client, context, options);
  if (!first) {
    return fail(first.error());
  }
  if (!*first) {
    return run_fresh(context, options, *timeout);
  }
  const std::vector<std::string> rest(options.words.begin() + 1, options.words.end());
  return run_in(context, *client, **first, options, rest, *timeout);
}

}  // namespace

void add_run_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunOptions>();
  Command command(
      app, {group::commands, "run",
            "Run a command in a terminal's shell, print its output, exit with its code",
            "  troupe run build make test         (in the shell of the terminal build)\n"
            "  troupe run build 'cd src && ls'    (one word is a command line as it stands)\n"
            "  troupe run -- ls -l /tmp           (no terminal named: in a new one, closed after)\n"
            "  troupe run --timeout 90 --json build -- cargo test --all\n"});
  command.positionals(
      "COMMAND", options->words,
      "Terminal (id, hex id or whole title), then the command; without a terminal a new one",
      Presence::optional);
  command.option("--terminal", options->terminal, "The terminal; then all words are the command",
                 "TERMINAL");
  command.flag("--new", options->fresh, "In a new terminal, even if a word names one");
  command
      .option("--timeout", options->timeout, "Stop waiting after this; the status is 124", "TIME")
      .is_time();
  command.option("--max-bytes", options->max_bytes, "At most this much output (262144)", "N")
      .within(0, most_of_anything);
  command.flag("--takeover", options->takeover,
               "Take control for the time where another client has it");
  command.json(context);
  on_run(command, context, options, run);
}

}  // namespace troupe::client::cli
