// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/catalogue.hpp"
#include "mcp/catalogue_words.hpp"

namespace troupe::mcp::catalogue {

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

}  // namespace troupe::mcp::catalogue
