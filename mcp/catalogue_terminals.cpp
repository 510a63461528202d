// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/catalogue.hpp"
#include "mcp/catalogue_words.hpp"

namespace troupe::mcp::catalogue {
namespace {

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

}  // namespace

void add_terminal_tools(Json& tools) {
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

}  // namespace troupe::mcp::catalogue
