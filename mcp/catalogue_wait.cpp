// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/catalogue.hpp"
#include "mcp/catalogue_words.hpp"

namespace troupe::mcp::catalogue {

void add_wait_tools(Json& tools) {
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

}  // namespace troupe::mcp::catalogue
