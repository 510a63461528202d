// SPDX-License-Identifier: MIT
// Commands about the commands that ran in a shell: journal, output.
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "client/attach/painter.hpp"
#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/record_text.hpp"
#include "client/cli/spelling.hpp"
#include "client/cli/table.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;
using std::chrono::milliseconds;

constexpr std::size_t default_output_bytes = std::size_t{256} * 1024;
constexpr std::size_t max_command_bytes = 500;

struct JournalOptions {
  std::string terminal;
  std::optional<std::uint64_t> from;
  std::size_t limit = 20;
  bool next_index = false;
};

std::string took(const CommandRecord& record) {
  return record.ended_ms && record.started_ms > 0
             ? duration_text(*record.ended_ms - record.started_ms)
             : std::string("-");
}

void print_records(const reply::Journal& journal) {
  if (journal.records.empty()) {
    note(
        "no commands are known; does the shell mark them? `troupe shell-integration bash` "
        "explains, and `troupe new --integrate` needs no set-up");
    return;
  }
  Table table{{"INDEX", "STATUS", "EXIT", "TOOK", "START", "COMMAND"}};
  for (const CommandRecord& record : journal.records) {
    table.add({std::to_string(record.index), std::string(record_status(record)),
               record.exit_code ? std::to_string(*record.exit_code) : "-", took(record),
               cursor_text(record.start),
               record.command ? printable(*record.command, max_command_bytes) : "-"});
  }
  print(table.text());
  if (journal.truncated) {
    note("the list was too long and is cut at its old end; --from INDEX pages through it");
  }
}

int print_next_index(Client& client, const TerminalInfo& terminal) {
  const auto newest = client.ask<reply::Journal>(request::Journal{terminal.id, {}, 1, true});
  if (!newest) {
    return fail(newest.error());
  }
  print_line(std::to_string(newest->next_index));
  return exit_status::ok;
}

int journal(const Context& context, Client& client, const TerminalInfo& terminal,
            const JournalOptions& options) {
  if (const Result<> can = require(client, feature::journal, "keep a journal"); !can) {
    return fail(can.error());
  }
  if (options.next_index) {
    return print_next_index(client, terminal);
  }
  const request::Journal request{terminal.id, options.from, options.limit, !options.from};
  return answer<reply::Journal>(context, client, request, print_records);
}

struct OutputOptions {
  std::string terminal;
  std::string index = "latest";
  std::optional<std::string> wait;
  std::optional<std::uint64_t> after;
  std::string cursor;
  std::size_t max_bytes = default_output_bytes;
};

Result<CommandSpec> command_of(const OutputOptions& options) {
  if (options.after) {
    return CommandSpec{*options.after + 1};
  }
  if (options.index == "latest") {
    return CommandSpec{CommandLatest{}};
  }
  std::uint64_t index = 0;
  const char* const last = options.index.data() + options.index.size();
  const auto [end, error] = std::from_chars(options.index.data(), last, index);
  if (error != std::errc{} || end != last) {
    return Error{Code::bad_request, "an index is a number or latest, not " + options.index};
  }
  return CommandSpec{index};
}

/// Waits for the command; leaves its record and its own index in `index`.
Result<reply::Command> wait_for(Client& client, const TerminalInfo& terminal, CommandSpec& index,
                                milliseconds timeout) {
  // The newest command may be over already: then there is nothing to wait for.
  if (std::holds_alternative<CommandLatest>(index)) {
    const auto newest = client.ask<reply::Journal>(request::Journal{terminal.id, {}, 1, true});
    if (newest && !newest->records.empty()) {
      index = newest->records.back().index;
    }
  }
  Result<reply::Command> command = client.ask<reply::Command>(
      request::JournalWait{terminal.id, index, timeout.count()}, timeout + Client::patience);
  if (command && command->record) {
    index = command->record->index;
  }
  return command;
}

int output(const Context& context, Client& client, const TerminalInfo& terminal,
           const OutputOptions& options) {
  if (const Result<> can = require(client, feature::journal, "keep a journal"); !can) {
    return fail(can.error());
  }
  Result<CommandSpec> index = command_of(options);
  if (!index) {
    return usage_error(index.error().message);
  }
  request::Output request{terminal.id, {}, {}, options.max_bytes};
  if (!options.cursor.empty()) {
    request.cursor = parse_cursor(options.cursor);
    if (!request.cursor) {
      return usage_error("a cursor is SEQ or SEQ:COL, not " + options.cursor);
    }
  }
  int status = exit_status::ok;
  if (options.wait) {
    const Result<milliseconds> timeout = parse_duration(*options.wait);
    if (!timeout) {
      return usage_error(timeout.error().message);
    }
    const Result<reply::Command> command = wait_for(client, terminal, *index, *timeout);
    if (!command) {
      return fail(command.error());
    }
    status = command->timed_out || !command->record ? exit_status::timeout
                                                    : status_of_record(*command->record);
    if (!command->record) {
      return fail(Error{Code::timeout, "no command started in time"});
    }
  }
  request.index = *index;
  const auto text = ask<reply::Text>(context, client, request);
  if (!text) {
    return fail(text.error());
  }
  if (!context.json) {
    const std::string number = text->record ? std::to_string(text->record->index) : options.index;
    print_slice(text->slice, "troupe output " + std::to_string(terminal.id.value) + " " + number +
                                 " --from " + cursor_text(text->slice.next));
  }
  if (status == exit_status::timeout) {
    note("the command is still running; this is its output so far");
  } else if (options.wait && text->record && !text->record->exit_code) {
    note(text->record->pty_exited ? "the shell itself ended; `troupe wait` gives its status"
                                  : "the command ended without telling an exit code");
  }
  return status;
}

}  // namespace

void add_journal_commands(CLI::App& app, Context& context) {
  const std::string commands(group::commands);
  {
    auto options = std::make_shared<JournalOptions>();
    Command command(app, {commands, "journal", "List the commands that ran in a shell",
                          "  troupe journal build\n  troupe journal build --from 40 --json\n"
                          "  next=$(troupe journal build --next-index)\n"});
    command.terminal(options->terminal);
    command.option("--from", options->from, "From this index on, instead of the newest", "INDEX")
        .within(0, highest_index);
    command.option("--limit", options->limit, "At most this many (default 20; 0: all)", "N")
        .within(0, most_of_anything);
    command.flag("--next-index", options->next_index,
                 "Print only the index that the next command gets");
    command.json(context);
    on_terminal(command, context, options, journal);
  }
  {
    auto options = std::make_shared<OutputOptions>();
    Command command(
        app, {commands, "output", "Print what a command printed",
              "  troupe output build            (the newest command)\n  troupe output build 41\n"
              "  troupe output build --wait 60  (ends with the command's exit code)\n"
              "  n=$(troupe journal build --next-index); troupe send build 'make\\n'\n"
              "  troupe output build $n --wait 60\n"});
    command.terminal(options->terminal);
    command.positional("INDEX", options->index, "Its index in the journal (default: latest)",
                       Presence::optional);
    Command::Option wait =
        command
            .option("--wait", options->wait, "Wait for its end first; exits with its code, or 124",
                    "TIME")
            .is_time();
    command.option("--after", options->after, "The command that follows this index", "INDEX")
        .within(0, highest_index)
        .needs(wait);
    command.option("--from", options->cursor, "Continue a page at this cursor", "CURSOR");
    command.option("--max-bytes", options->max_bytes, "At most this much text (262144)", "N")
        .within(0, most_of_anything);
    command.json(context);
    on_terminal(command, context, options, output);
  }
}

}  // namespace troupe::client::cli
