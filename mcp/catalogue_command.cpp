// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/catalogue.hpp"
#include "mcp/catalogue_words.hpp"

namespace troupe::mcp::catalogue {
namespace {

Json record() {
  return object({{"index", integer("Number of the command in this terminal")},
                 {"command", either_null("string", "Command line, if known")},
                 {"command_cut", flag("The middle of command was left out")},
                 {"running", flag("It has not ended")},
                 {"exit_code", either_null("integer", "Exit code, if known")},
                 {"incomplete", flag("Its end was not marked")},
                 {"trusted", flag("The marks carried this terminal's secret")},
                 {"started_ms", integer("Unix milliseconds")},
                 {"duration_ms", either_null("integer", "Milliseconds it ran")},
                 {"cwd", either_null("string", "Working directory")},
                 {"start", cursor_out("Where its output begins")},
                 {"end", cursor_out("Where its output ends")}},
                {"index", "command", "running", "exit_code"});
}

Json nullable(Json schema) {
  schema["type"] = {"object", "null"};
  return schema;
}

}  // namespace

void add_command_tools(Json& tools) {
  const Json outcome =
      cut({{"record", nullable(record())},
           {"exit_code", either_null("integer", "Exit code, if the command ended")},
           {"timed_out", flag("It was still running")},
           {"output", text("What it printed")},
           {"next", cursor_out("Continue here")},
           {"more", flag("There is more after next")},
           {"evicted", flag("The beginning is no longer retained")},
           {"hint", text("What to do next")}});
  tools.push_back(tool(
      {"terminal_run", "Run a command",
       "Types a command line into a shell, waits until it has ended, and returns "
       "its output and exit code. A command that outlives the timeout goes on; "
       "continue with terminal_output. Needs shell integration.",
       acts},
      input_schema(
          caps({{"instance_id", id()},
                {"command", text("The command line; several lines are pasted as one")},
                {"timeout", number("Seconds to wait (30; over 50 only with a progress token)")}}),
          {"instance_id", "command"}),
      object(outcome, {"record", "exit_code", "timed_out", "output"})));
  tools.push_back(
      tool({"terminal_journal", "List commands",
            "The commands that ran in a terminal, with exit codes and times, newest last.", reads},
           input_schema({{"instance_id", id()},
                         {"from_index", integer("First command; default the newest ones")},
                         {"limit", integer("Commands at most (20)")}},
                        {"instance_id"}),
           object({{"oldest_index", integer("Oldest retained command")},
                   {"next_index", integer("Index that the next command will have")},
                   {"records", {{"type", "array"}, {"items", record()}}},
                   {"more", flag("Cut by size: the rest has from_index before the first record, "
                                 "or, where from_index was given, behind the last")}},
                  {"oldest_index", "next_index", "records"})));
  tools.push_back(
      tool({"terminal_output", "Read a command's output",
            "The output of one command of the journal; with wait, first waits for its end.", reads},
           input_schema(caps({{"instance_id", id()},
                              {"index", integer("The command; default the latest")},
                              {"cursor", cursor_in("Continue a page")},
                              {"wait", flag("Wait until it has ended")},
                              {"timeout", number("Seconds to wait (30)")}}),
                        {"instance_id"}),
           object(outcome, {"output"})));
}

}  // namespace troupe::mcp::catalogue
