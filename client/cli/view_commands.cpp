// SPDX-License-Identifier: MIT
// Commands that look at a terminal without touching it: show, history, search, watch.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "base/random.hpp"
#include "client/attach/painter.hpp"
#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/record_text.hpp"
#include "client/cli/spelling.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;

void print_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text += '\n';
  }
  print(text);
}

struct ShowOptions {
  std::string terminal;
  std::optional<std::uint16_t> rows;
  bool ansi = false;
};

/// How many rows to ask for, so that `wanted` are left without the blank ones at the end.
std::uint16_t rows_to_ask(const TerminalInfo& terminal, std::uint16_t wanted) {
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  return static_cast<std::uint16_t>(std::min<std::size_t>(most, wanted + terminal.rows));
}

/// The newest rows that show something: what is below the cursor is mostly blank.
void print_newest(std::vector<std::string> lines, std::optional<std::size_t> wanted) {
  while (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  if (wanted && lines.size() > *wanted) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(*wanted));
  }
  print_lines(lines);
}

int show_ansi(const Context& context, Client& client, const TerminalInfo& terminal,
              const ShowOptions& options) {
  if (const Result<> can = require(client, feature::history, "show colours"); !can) {
    return fail(can.error());
  }
  const std::size_t rows = options.rows && !context.json ? rows_to_ask(terminal, *options.rows)
                                                         : options.rows.value_or(terminal.rows);
  const request::History request{terminal.id, {}, rows, HistoryFormat::ansi};
  return answer<reply::History>(context, client, request, [&options](const auto& history) {
    print_newest(history.lines, options.rows);
  });
}

int show(const Context& context, Client& client, const TerminalInfo& terminal,
         const ShowOptions& options) {
  if (options.ansi) {
    return show_ansi(context, client, terminal, options);
  }
  request::ReadRows request{terminal.id, options.rows};
  if (options.rows && !context.json) {
    request.rows = rows_to_ask(terminal, *options.rows);
  }
  return answer<reply::Rows>(context, client, request, [&options](const auto& shown) {
    print_newest(shown.lines, options.rows);
  });
}

struct HistoryOptions {
  std::string terminal;
  std::optional<std::size_t> rows;
  bool all = false;
  bool ansi = false;
  std::optional<std::string> since;
  std::size_t max_bytes = 0;
};

void print_since(const reply::Text& text) {
  const TextSlice& slice = text.slice;
  print_page(slice);
  if (slice.evicted) {
    note("older text is gone; this begins at " + cursor_text(slice.start));
  }
  if (slice.truncated) {
    note("cut at the limit of bytes; the rest follows from the cursor below");
  }
  std::fprintf(stderr, "cursor: %s\n", cursor_text(slice.next).c_str());
}

int history_since(const Context& context, Client& client, const TerminalInfo& terminal,
                  const HistoryOptions& options) {
  const std::optional<CursorSpec> cursor = parse_cursor(*options.since);
  if (!cursor) {
    return usage_error("a cursor is SEQ, SEQ:COL, now or oldest, not " + *options.since);
  }
  if (const Result<> can = require(client, feature::text, "read from a cursor"); !can) {
    return fail(can.error());
  }
  const request::Since request{terminal.id, *cursor, options.max_bytes};
  return answer<reply::Text>(context, client, request, print_since);
}

/// A daemon without the feature has its history in the snapshot's text.
int history_of_snapshot(const Context& context, Client& client, const TerminalInfo& terminal) {
  return answer<reply::Snapshot>(context, client, request::Snapshot{terminal.id, {}},
                                 [](const auto& snapshot) { print_line(snapshot.text); });
}

int history(const Context& context, Client& client, const TerminalInfo& terminal,
            const HistoryOptions& options) {
  if (options.since) {
    return history_since(context, client, terminal, options);
  }
  if (!client.has(feature::history)) {
    return history_of_snapshot(context, client, terminal);
  }
  request::History request{
      terminal.id, {}, options.rows, options.ansi ? HistoryFormat::ansi : HistoryFormat::plain};
  if (options.all || !options.rows) {
    request.cursor = CursorOldest{};
  }
  while (true) {
    const auto page = ask<reply::History>(context, client, request);
    if (!page) {
      return fail(page.error());
    }
    if (context.json) {
      return exit_status::ok;
    }
    print_lines(page->lines);
    const CursorSpec next = CursorAt{page->next.seq, page->next.col, page->next.epoch};
    if (!page->truncated || request.cursor == next) {
      return exit_status::ok;
    }
    request.cursor = next;
  }
}

struct SearchOptions {
  std::string terminal;
  std::string pattern;
  bool regex = false;
  bool ignore_case = false;
  std::size_t limit = 0;
};

int search(const Context& context, Client& client, const TerminalInfo& terminal,
           const SearchOptions& options) {
  if (const Result<> can = require(client, feature::history, "search"); !can) {
    return fail(can.error());
  }
  const request::Search request{terminal.id,         options.pattern, options.regex,
                                options.ignore_case, options.limit,   {}};
  const auto found = ask<reply::Matches>(context, client, request);
  if (!found) {
    return fail(found.error());
  }
  if (!context.json) {
    for (const auto& match : found->matches) {
      print_line(cursor_text(match.start) + "\t" + printable(match.line, 4096));
    }
    if (found->truncated) {
      note("there may be more; raise --limit");
    }
  }
  return found->matches.empty() ? exit_status::error : exit_status::ok;
}

struct WatchOptions {
  std::string terminal;
};

/// The terminal's end, as an old daemon's stream tells it by closing.
int watch_ended(const std::string& how) {
  std::fprintf(stderr, "\nterminal %s\n", how.c_str());
  return exit_status::ok;
}

int watch(const Context& /*context*/, Client& client, const TerminalInfo& terminal,
          const WatchOptions& /*options*/) {
  Result<Connection> connection = client.connect();
  if (!connection) {
    return fail(connection.error());
  }
  request::Subscribe subscribe;
  subscribe.id = terminal.id;
  subscribe.attachment_id = "troupe-watch-" + random_hex(8);
  const Result<RequestNumber> sent = connection->send(subscribe);
  if (!sent) {
    return fail(sent.error());
  }
  const bool to_terminal = ::isatty(STDOUT_FILENO) != 0;
  OutputFilter filter;
  const auto show_bytes = [&](std::string_view bytes) {
    if (!to_terminal) {
      return print(bytes);
    }
    std::string shown;  // the person's terminal must not answer the program's old questions
    filter.feed(bytes, shown);
    return print(shown);
  };
  while (true) {
    const Result<Message> message = connection->wait_next(Deadline::max());
    if (!message) {
      return fail(message.error());
    }
    if (const auto* const output = std::get_if<Output>(&*message)) {
      if (!show_bytes(output->bytes)) {
        return exit_status::ok;
      }
      continue;
    }
    const protocol::Response& response = std::get<Reply>(*message).response;
    if (const auto* const error = std::get_if<reply::Error>(&response)) {
      return fail(Error{error->code.value_or(Code::internal), error->message});
    }
    if (const auto* const attached = std::get_if<reply::Attached>(&response)) {
      if (attached->truncated) {
        note("the first " + std::to_string(attached->available_offset) +
             " bytes of output are no longer kept");
      }
      if (!show_bytes(attached->replay)) {
        return exit_status::ok;
      }
      if (!std::holds_alternative<protocol::Running>(attached->terminal.lifecycle)) {
        return watch_ended(lifecycle_text(attached->terminal));
      }
    } else if (const auto* const exited = std::get_if<protocol::event::Exited>(&response)) {
      return watch_ended(exited->exit_code ? "exited: " + std::to_string(*exited->exit_code)
                                           : std::string("exited"));
    } else if (const auto* const ended = std::get_if<protocol::event::Ended>(&response)) {
      return fail(
          Error{Code::io, "the stream ended: " + std::string(protocol::to_text(ended->reason))});
    }
  }
}

void add_history(CLI::App& app, Context& context, const std::string& group_name) {
  auto options = std::make_shared<HistoryOptions>();
  Command command(app,
                  {group_name, "history", "Print a terminal's history and screen, or what is new",
                   "  troupe history build --rows 200\n  troupe history build --since now\n"
                   "  troupe history build --since 1234:0   (prints the next cursor on stderr)\n"});
  command.terminal(options->terminal);
  Command::Option rows = command.option("--rows", options->rows, "Only the newest rows", "N")
                             .within(1, most_of_anything);
  command.flag("--all", options->all, "Everything that is kept (the default)").excludes(rows);
  command.flag("--ansi", options->ansi, "With colours and attributes");
  command.option("--since", options->since,
                 "Plain text from a cursor on: SEQ, SEQ:COL, now, oldest", "CURSOR");
  command.option("--max-bytes", options->max_bytes, "Limit of --since", "N")
      .within(0, most_of_anything);
  command.json(context);
  on_terminal(command, context, options, history);
}

}  // namespace

void add_view_commands(CLI::App& app, Context& context) {
  const std::string looking(group::looking);
  {
    auto options = std::make_shared<ShowOptions>();
    Command command(app, {looking, "show", "Print what a terminal's screen shows",
                          "  troupe show build\n  troupe show build --rows 100 --json\n"});
    command.terminal(options->terminal);
    command.option("--rows", options->rows, "The newest rows, history included", "N")
        .within(1, std::numeric_limits<std::uint16_t>::max());
    command.flag("--ansi", options->ansi, "With colours and attributes");
    command.json(context);
    on_terminal(command, context, options, show);
  }
  add_history(app, context, looking);
  {
    auto options = std::make_shared<SearchOptions>();
    Command command(app, {looking, "search", "Find text in a terminal's history and screen",
                          "  troupe search build error\n"
                          "  troupe search build --regex 'warning: .*unused'\n"});
    command.terminal(options->terminal);
    command.positional("PATTERN", options->pattern, "Literal text, or RE2 with --regex");
    command.flag("--regex", options->regex, "The pattern is a regular expression");
    command.flag("-i,--ignore-case", options->ignore_case, "Letters match in either case");
    command.option("--limit", options->limit, "At most this many matches", "N")
        .within(0, most_of_anything);
    command.json(context);
    on_terminal(command, context, options, search);
  }
  {
    auto options = std::make_shared<WatchOptions>();
    Command command(
        app, {looking, "watch", "Follow a terminal's output, from what is kept until it ends",
              "  troupe watch build | tee build.log\n"});
    command.terminal(options->terminal);
    on_terminal(command, context, options, watch);
  }
}

}  // namespace troupe::client::cli
