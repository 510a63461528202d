// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

Json property(const char* type, const char* what) {
  return {{"type", type}, {"description", what}};
}

Json text(const char* what) {
  return property("string", what);
}

Json number(const char* what) {
  return property("number", what);
}

Json integer(const char* what) {
  return property("integer", what);
}

Json flag(const char* what) {
  return property("boolean", what);
}

Json texts(const char* what) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", what}};
}

Json either_null(const char* type, const char* what) {
  return {{"type", {type, "null"}}, {"description", what}};
}

Json object(const Json& properties, const Json& required) {
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

Json input_schema(const Json& properties, const Json& required) {
  Json schema = object(properties, required);
  schema["additionalProperties"] = false;
  return schema;
}

Json id() {
  return text("The terminal, as terminal_launch or terminal_list named it (12 hex digits)");
}

Json cursor_in(const char* what) {
  return {{"description", what},
          {"anyOf", Json::array({object({{"seq", integer("row number")},
                                         {"col", integer("column")},
                                         {"epoch", integer("numbering the row belongs to")}},
                                        {"seq", "col"}),
                                 {{"type", "string"}, {"enum", {"now", "oldest"}}}})}};
}

Json cursor_out(const char* what) {
  Json schema = object({{"seq", integer("row number")},
                        {"col", integer("column")},
                        {"epoch", integer("numbering the row belongs to")}},
                       {"seq", "col", "epoch"});
  schema["description"] = what;
  return schema;
}

Json caps(Json properties) {
  properties["max_lines"] = integer("Lines of text in the result at most (200)");
  properties["max_bytes"] = integer("Bytes of text in the result at most (32768)");
  return properties;
}

Json cut(Json properties) {
  properties["cut"] = flag("The middle of the text was left out");
  properties["omitted_lines"] = integer("Lines left out");
  properties["omitted_bytes"] = integer("Bytes left out");
  return properties;
}

Json lifecycle(Json properties) {
  properties["state"] = text("running, exited or failed");
  properties["exit_code"] = either_null("integer", "Exit code; 128+n for a death by signal n");
  properties["failure"] = text("What failed");
  return properties;
}

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

Json terminal() {
  return object(lifecycle({{"instance_id", text("The terminal's id")},
                           {"kind", text("Always \"terminal\"")},
                           {"connector_type", text("pty, ssh or telnet")},
                           {"label", either_null("string", "Label given at launch")},
                           {"profile", either_null("string", "Profile given at launch")},
                           {"url", either_null("string", "Always null")},
                           {"log_path", either_null("string", "File that records the session")},
                           {"recording_error", text("Why the last recording stopped by itself")},
                           {"har_path", either_null("string", "Always null")},
                           {"protected", flag("Closing needs force")},
                           {"title", text("Title")},
                           {"cols", integer("Columns")},
                           {"rows", integer("Rows")}}),
                {"instance_id", "kind", "connector_type", "log_path", "protected", "state"});
}

struct Effects {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = true;
};

struct Description {
  const char* name;
  const char* title;
  const char* what;
  Effects effects;
};

/// A result is what the tool gives, or the one shape of errors: clients check both against this.
Json output_schema(Json success) {
  const Json required = success["required"];
  success.erase("required");
  success["properties"]["ok"] = flag("False where the tool failed");
  success["properties"]["error"] = object(
      {{"code", text("Kind of error")}, {"message", text("What went wrong")}}, {"code", "message"});
  success["anyOf"] = Json::array({{{"required", required}}, {{"required", {"ok", "error"}}}});
  return success;
}

Json tool(const Description& about, const Json& input, const Json& output) {
  return {{"name", about.name},
          {"title", about.title},
          {"description", about.what},
          {"inputSchema", input},
          {"outputSchema", output_schema(output)},
          {"annotations",
           {{"title", about.title},
            {"readOnlyHint", about.effects.read_only},
            {"destructiveHint", about.effects.destructive},
            {"idempotentHint", about.effects.idempotent},
            {"openWorldHint", about.effects.open_world}}}};
}

constexpr Effects reads{true, false, true, false};
constexpr Effects acts{false, true, false, true};

void add_lifetime_tools(Json& tools) {
  tools.push_back(tool(
      {"terminal_launch", "Launch a terminal",
       "Start a program in a new terminal on this machine (kind pty), or connect to a host (ssh, "
       "telnet). The terminal outlives this connection and people can attach to it. Returns its "
       "instance_id. Bash, zsh and fish get shell integration, which terminal_run needs.",
       acts},
      input_schema(
          {{"kind", {{"type", "string"}, {"enum", {"pty", "ssh", "telnet"}}, {"default", "pty"}}},
           {"command",
            text("pty: program, or a shell line; default /bin/bash. ssh: remote command")},
           {"args", texts("pty: arguments of the program, passed exactly")},
           {"cwd", text("pty: working directory, which must exist; default the server's")},
           {"env",
            {{"type", "object"},
             {"additionalProperties", {{"type", "string"}}},
             {"description", "pty: environment variables on top"}}},
           {"integrate", flag("pty: load shell integration (true)")},
           {"host", text("ssh, telnet: host")},
           {"port", integer("ssh, telnet: port (22, 23)")},
           {"user", text("ssh: user name")},
           {"key_path", text("ssh: private key file")},
           {"password", text("ssh: password; never recorded or listed")},
           {"known_hosts", text("ssh: known_hosts file; required unless insecure_no_host_check")},
           {"insecure_no_host_check", flag("ssh: do not check the host key")},
           {"use_ssh_config", flag("ssh: honour ~/.ssh/config and its known hosts")},
           {"encoding", text("ssh, telnet: utf-8, latin1 or cp437 (telnet's default)")},
           {"cols", integer("Columns (80)")},
           {"rows", integer("Rows (24)")},
           {"label", text("A name for people")},
           {"profile", text("A profile name to carry along")},
           {"protected", flag("terminal_close then needs force")},
           {"record", flag("Record the session to a file (true)")},
           {"redact",
            {{"type", "string"},
             {"enum", {"off", "passwords", "all"}},
             {"description",
              "What of the typed input the recording masks: nothing, what is a password (the "
              "daemon's default), everything"}}}},
          Json::array()),
      terminal()));
  tools.push_back(
      tool({"terminal_list", "List terminals",
            "All terminals of the daemon, also those that people or other agents made.", reads},
           input_schema(Json::object(), Json::array()),
           object({{"terminals", {{"type", "array"}, {"items", terminal()}}}}, {"terminals"})));
  tools.push_back(
      tool({"terminal_close",
            "Close a terminal",
            "Ends the program and everything it started, and removes the terminal.",
            {false, true, true, false}},
           input_schema({{"instance_id", id()}, {"force", flag("Close a protected one too")}},
                        {"instance_id"}),
           object({{"closed", flag("It is gone")},
                   {"survivors",
                    {{"type", "array"},
                     {"items", {{"type", "integer"}}},
                     {"description", "Processes that could not be killed"}}}},
                  {"closed"})));
}

void add_input_tools(Json& tools) {
  const Json sent = object(
      {{"ok", flag("Taken by the terminal")},
       {"accepted", integer("Bytes that the terminal took")},
       {"queued", flag("Not taken within 2 seconds, for the program does not read: the bytes wait "
                       "until it does")},
       {"event_count",
        integer("Rows of the terminal's recording so far; of one that is not recorded, inputs "
                "sent by this server")}},
      {"ok", "queued"});
  const Json done = object(
      {{"ok", flag("Done")}, {"cols", integer("Columns")}, {"rows", integer("Rows")}}, {"ok"});
  tools.push_back(tool({"terminal_send_input", "Type text",
                        "Types text exactly as given; nothing is added unless enter is true. For "
                        "special keys use terminal_keys, to run a command terminal_run.",
                        acts},
                       input_schema({{"instance_id", id()},
                                     {"text", text("The text")},
                                     {"enter", flag("Press Enter after it")},
                                     {"password", flag("Mask it in recordings")}},
                                    {"instance_id", "text"}),
                       sent));
  tools.push_back(tool(
      {"terminal_keys", "Press keys",
       "Presses named keys in order, encoded for the program's present modes: a "
       "character, enter, tab, escape, up, down, left, right, home, end, pageup, "
       "pagedown, backspace, delete, insert, space, f1…f24, with ctrl+, alt+, "
       "shift+ or super+ in front. Example: [\"ctrl+c\"].",
       acts},
      input_schema({{"instance_id", id()}, {"keys", texts("Key names")}}, {"instance_id", "keys"}),
      sent));
  tools.push_back(tool(
      {"terminal_resize",
       "Resize a terminal",
       "Sets columns and rows.",
       {false, false, true, false}},
      input_schema({{"instance_id", id()}, {"cols", integer("Columns")}, {"rows", integer("Rows")}},
                   {"instance_id", "cols", "rows"}),
      done));
  tools.push_back(
      tool({"terminal_signal", "Send a signal",
            "Sends a signal to the foreground program (default), the whole session or "
            "the first process.",
            acts},
           input_schema({{"instance_id", id()},
                         {"signal", text("INT (default), TERM, KILL, HUP, … or a number")},
                         {"target", text("foreground (default), session or leader")}},
                        {"instance_id"}),
           done));
}

void add_view_tools(Json& tools) {
  tools.push_back(
      tool({"terminal_snapshot", "See the screen",
            "The screen as a person sees it: rendered rows without colours, the cursor, "
            "size, title and whether the program runs.",
            reads},
           input_schema(caps({{"instance_id", id()}}), {"instance_id"}),
           object(cut(lifecycle(
                      {{"screen", text("Rows, trimmed on the right")},
                       {"cursor", object({{"row", integer("0-based")}, {"col", integer("0-based")}},
                                         {"row", "col"})},
                       {"cols", integer("Columns")},
                       {"rows", integer("Rows")},
                       {"title", text("Title")}})),
                  {"screen", "cursor", "cols", "rows"})));
  tools.push_back(
      tool({"terminal_read", "Read text",
            "The screen's text, or with since everything printed after a cursor of an "
            "earlier result (soft wraps joined); continue with next while more is true.",
            reads},
           input_schema(caps({{"instance_id", id()}, {"since", cursor_in("Read from here on")}}),
                        {"instance_id"}),
           object(cut({{"screen", text("The text")},
                       {"start", cursor_out("Where the text begins")},
                       {"next", cursor_out("Continue here")},
                       {"more", flag("There is more after next")},
                       {"evicted", flag("Text after since is no longer retained")},
                       {"alt_screen", flag("A full-screen program is shown")}}),
                  {"screen"})));
  tools.push_back(
      tool({"terminal_history", "Page through history",
            "Rows of history and screen from a cursor on, oldest first.", reads},
           input_schema({{"instance_id", id()},
                         {"cursor", cursor_in("Start here; default the newest lines")},
                         {"lines", integer("Rows at most (100)")},
                         {"max_bytes", integer("Bytes of text in the result at most (32768)")}},
                        {"instance_id"}),
           object({{"lines", texts("Rows")},
                   {"start", cursor_out("First row")},
                   {"next", cursor_out("Continue here")},
                   {"more", flag("There is more after next")},
                   {"evicted", flag("Rows after cursor are no longer retained")}},
                  {"lines", "next", "more"})));
  tools.push_back(tool({"terminal_search", "Search text",
                        "Finds text or an RE2 expression in history and screen.", reads},
                       input_schema({{"instance_id", id()},
                                     {"pattern", text("What to find")},
                                     {"regex", flag("pattern is a regular expression")},
                                     {"ignore_case", flag("Ignore case")},
                                     {"limit", integer("Matches at most (50)")},
                                     {"max_bytes", integer("Bytes of matches, as JSON, in the "
                                                           "result at most (32768)")},
                                     {"cursor", cursor_in("Start here")}},
                                    {"instance_id", "pattern"}),
                       object({{"matches",
                                {{"type", "array"},
                                 {"items", object({{"line", text("The line")},
                                                   {"start", cursor_out("Where it begins")},
                                                   {"end", cursor_out("Where it ends")}},
                                                  {"line", "start", "end"})}}},
                               {"next", cursor_out("Continue here")},
                               {"more", flag("There may be more after next")},
                               {"evicted", flag("Text after cursor is no longer retained")}},
                              {"matches", "more"})));
}

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
  tools.push_back(tool(
      {"terminal_wait_for", "Wait for output",
       "Waits until a regular expression (prompt, RE2, per line) or a text appears in what was "
       "printed since the launch, the last input or match, or behind what terminal_run returned "
       "(in "
       "a terminal that this server has not used, from now on); until nothing was printed for idle "
       "seconds; or until the program exits. The terminal's echo of what was typed counts as "
       "printed: wait for something that the input does not hold. Returns at the timeout with "
       "matched false; call again, or with since: next, to go on waiting: a match that was half "
       "printed is found.",
       reads},
      input_schema(
          caps({{"instance_id", id()},
                {"prompt", text("Regular expression")},
                {"text", text("Literal text")},
                {"idle", number("Seconds without output")},
                {"exit", flag("The program has exited")},
                {"since", cursor_in("Look from here on instead")},
                {"timeout", number("Seconds to wait (10; over 50 only with a progress token)")}}),
          {"instance_id"}),
      object(cut(lifecycle({{"matched", flag("A condition was met")},
                            {"timed_out", flag("No condition was met in time")},
                            {"reason", text("needle, regex, idle, exit or timeout")},
                            {"text", text("What was printed up to the match")},
                            {"text_cut", flag("The middle of text was left out")},
                            {"next", cursor_out("Behind the match; after a timeout where a match "
                                                "may still begin")},
                            {"screen", text("The screen now")}})),
             {"matched", "timed_out", "reason", "text", "text_cut", "next", "screen"})));
}

Json make_tools() {
  Json tools = Json::array();
  add_lifetime_tools(tools);
  add_input_tools(tools);
  add_view_tools(tools);
  add_command_tools(tools);
  return tools;
}

struct Entry {
  std::string_view name;
  Handler handler;
};

constexpr std::array<Entry, 15> handlers = {{
    {"terminal_launch", terminal_launch},
    {"terminal_list", terminal_list},
    {"terminal_close", terminal_close},
    {"terminal_send_input", terminal_send_input},
    {"terminal_keys", terminal_keys},
    {"terminal_resize", terminal_resize},
    {"terminal_signal", terminal_signal},
    {"terminal_snapshot", terminal_snapshot},
    {"terminal_read", terminal_read},
    {"terminal_history", terminal_history},
    {"terminal_search", terminal_search},
    {"terminal_run", terminal_run},
    {"terminal_journal", terminal_journal},
    {"terminal_output", terminal_output},
    {"terminal_wait_for", terminal_wait_for},
}};

const Json& required_of(std::string_view name) {
  const Json& tools = tool_list();
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [&](const Json& tool) { return tool["name"] == name; });
  return (*found)["inputSchema"]["required"];
}

/// Readers fall back to defaults, which must not stand in for what the schema requires.
template <std::size_t at>
void call_checked(ToolCall& call, Arguments& arguments) {
  arguments.require(required_of(handlers[at].name));
  handlers[at].handler(call, arguments);
}

template <std::size_t... at>
constexpr std::array<Handler, sizeof...(at)> all_checked(std::index_sequence<at...>) {
  return {call_checked<at>...};
}

constexpr auto checked = all_checked(std::make_index_sequence<handlers.size()>{});

}  // namespace

const Json& tool_list() {
  static const Json tools = make_tools();
  return tools;
}

Handler find_tool(std::string_view name) {
  const auto found = std::find_if(handlers.begin(), handlers.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == handlers.end() ? nullptr
                                 : checked[static_cast<std::size_t>(found - handlers.begin())];
}

}  // namespace troupe::mcp
