// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/catalogue.hpp"
#include "mcp/catalogue_words.hpp"

namespace troupe::mcp::catalogue {

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

}  // namespace troupe::mcp::catalogue
