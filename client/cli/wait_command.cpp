// SPDX-License-Identifier: MIT
// The command that blocks until something happens in a terminal: wait.
#include <cstdio>

#include "client/attach/painter.hpp"
#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/spelling.hpp"
#include "protocol/limits.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;
using std::chrono::milliseconds;

constexpr std::size_t max_line_bytes = 4096;

struct WaitOptions {
  std::string terminal;
  std::string timeout;
  std::optional<std::string> text;
  std::optional<std::string> pattern;
  std::optional<std::string> idle;
  bool output = false;
  bool exit = false;
  std::string from = "now";
  std::size_t max_bytes = 0;
};

/// The terminal's end as an exit status, with a word about it.
int report_exit(Client& client, const TerminalInfo& terminal, bool say) {
  const Result<TerminalInfo> now = find_terminal(client, std::to_string(terminal.id.value));
  if (!now) {
    return fail(Error{Code::exited, "the terminal is gone"});
  }
  if (say) {
    print_line(lifecycle_text(*now));
  }
  if (const auto* const exited = std::get_if<protocol::Exited>(&now->lifecycle)) {
    return status_of(exited->exit_code);
  }
  return now->child_exit ? status_of(now->child_exit->exit_code) : exit_status::error;
}

int wait_exit(const Context& context, Client& client, const TerminalInfo& terminal,
              milliseconds timeout) {
  if (const Result<> can = require(client, feature::child_exit, "wait for an exit"); !can) {
    return fail(can.error());
  }
  const auto exit = ask<reply::Exit>(
      context, client, request::WaitExit{terminal.id, timeout.count()}, timeout + Client::patience);
  if (!exit) {
    return fail(exit.error());
  }
  if (exit->timed_out) {
    return fail(Error{Code::timeout, "the program is still running"});
  }
  if (!context.json) {
    print_line(exit->signal      ? "killed " + printable(*exit->signal, max_line_bytes)
               : exit->exit_code ? "exited " + std::to_string(*exit->exit_code)
                                 : std::string("exited"));
  }
  return status_of(exit->exit_code);
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  const std::size_t newline = text.rfind('\n');
  return printable(newline == std::string_view::npos ? text : text.substr(newline + 1),
                   max_line_bytes);
}

int report(const Context& context, Client& client, const TerminalInfo& terminal,
           const reply::Text& text) {
  const WaitReason reason = text.reason.value_or(WaitReason::timeout);
  if (!context.json && (reason == WaitReason::needle || reason == WaitReason::regex)) {
    print_line(last_line(text.slice.text));
  }
  std::fprintf(stderr, "cursor: %s\n", cursor_text(text.slice.next).c_str());
  if (text.matched || reason == WaitReason::output) {
    return reason == WaitReason::exit ? report_exit(client, terminal, !context.json)
                                      : exit_status::ok;
  }
  if (reason == WaitReason::timeout) {
    return fail(Error{Code::timeout, "nothing of it happened in time"});
  }
  const int status = report_exit(client, terminal, false);
  note("the terminal ended first");
  return status == exit_status::ok ? exit_status::error : status;
}

int wait(const Context& context, Client& client, const TerminalInfo& terminal,
         const WaitOptions& options) {
  const Result<milliseconds> timeout =
      options.timeout.empty() ? Result<milliseconds>{milliseconds{protocol::max_timeout_ms}}
                              : parse_duration(options.timeout);
  const std::optional<CursorSpec> cursor = parse_cursor(options.from);
  if (!timeout || !cursor) {
    return usage_error(timeout ? "a cursor is SEQ, SEQ:COL, now or oldest"
                               : timeout.error().message);
  }
  request::Wait request;
  request.id = terminal.id;
  request.cursor = *cursor;
  request.needle = options.text;
  request.regex = options.pattern;
  request.exit = options.exit;
  request.timeout_ms = timeout->count();
  request.max_bytes = options.max_bytes;
  if (options.idle) {
    const Result<milliseconds> idle = parse_duration(*options.idle);
    if (!idle) {
      return usage_error(idle.error().message);
    }
    request.idle_ms = idle->count();
  }
  const bool condition = options.text || options.pattern || options.idle || options.output;
  if (!condition) {
    return wait_exit(context, client, terminal, *timeout);
  }
  if (const Result<> can = require(client, feature::text, "wait for text"); !can) {
    return fail(can.error());
  }
  const auto text = ask<reply::Text>(context, client, request, *timeout + Client::patience);
  return text ? report(context, client, terminal, *text) : fail(text.error());
}

}  // namespace

void add_wait_commands(CLI::App& app, Context& context) {
  auto options = std::make_shared<WaitOptions>();
  Command command(
      app, {group::looking, "wait", "Wait until text appears, output pauses, or the program exits",
            "  troupe wait build                      (until it exits; exits with its status)\n"
            "  troupe wait build --text 'tests passed' --timeout 90\n"
            "  troupe wait server --pattern 'listening on :[0-9]+'\n"
            "  troupe wait repl --idle 500ms --timeout 10\n"});
  command.terminal(options->terminal);
  command.option("--timeout", options->timeout, "At most this long; then the status is 124", "TIME")
      .is_time();
  command.option("--text", options->text, "Literal text, also across wrapped rows", "TEXT");
  command.option("--pattern", options->pattern, "RE2 regular expression, tried per line", "REGEX");
  command.option("--idle", options->idle, "No output for this long", "TIME").is_time();
  command.flag("--output", options->output, "Any output");
  command.flag("--exit", options->exit, "The program's exit (what is meant where nothing is)");
  command.option("--from", options->from,
                 "Look at the text from this cursor on (default: now, only what is new)", "CURSOR");
  command.option("--max-bytes", options->max_bytes, "Limit of the text in --json", "N")
      .within(0, most_of_anything);
  command.json(context);
  on_terminal(command, context, options, wait);
}

}  // namespace troupe::client::cli
