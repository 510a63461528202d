// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

}  // namespace

void terminal_snapshot(ToolCall& call, Arguments& arguments) {
  const request::ReadRows read{arguments.terminal(), std::nullopt};
  const Caps caps = read_caps(arguments);
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Rows>(read, [self = call.shared_from_this(), caps](const reply::Rows& rows) {
    Json out = Json::object();
    add_excerpt(out, "screen", join_rows(rows.lines), caps);
    out["cursor"] = {{"row", rows.cursor_y}, {"col", rows.cursor_x}};
    out["cols"] = rows.terminal.cols;
    out["rows"] = rows.terminal.rows;
    out["title"] = rows.terminal.title;
    add_lifecycle(out, rows.terminal);
    self->succeed(out);
  });
}

void terminal_read(ToolCall& call, Arguments& arguments) {
  const TerminalId id = arguments.terminal();
  const Caps caps = read_caps(arguments);
  const auto since = arguments.cursor("since");
  if (refused(call, arguments)) {
    return;
  }
  if (!since) {
    call.ask_for<reply::Rows>(request::ReadRows{id, std::nullopt},
                              [self = call.shared_from_this(), caps](const reply::Rows& rows) {
                                Json out = Json::object();
                                add_excerpt(out, "screen", join_rows(rows.lines), caps);
                                self->succeed(out);
                              });
    return;
  }
  // Paged, not excerpted: what does not fit is the next page.
  call.ask_for<reply::Text>(request::Since{id, *since, caps.max_bytes},
                            [self = call.shared_from_this()](const reply::Text& text) {
                              self->succeed({{"screen", text.slice.text},
                                             {"cut", false},
                                             {"start", to_json(text.slice.start)},
                                             {"next", to_json(text.slice.next)},
                                             {"more", text.slice.truncated},
                                             {"evicted", text.slice.evicted},
                                             {"alt_screen", text.slice.alt_screen}});
                            });
}

void terminal_history(ToolCall& call, Arguments& arguments) {
  request::History history;
  history.id = arguments.terminal();
  history.cursor = arguments.cursor("cursor");
  history.rows = static_cast<std::size_t>(arguments.integer("lines", 1, 10'000, 100));
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::History>(history,
                               [self = call.shared_from_this()](const reply::History& found) {
                                 self->succeed({{"lines", found.lines},
                                                {"start", to_json(found.start)},
                                                {"next", to_json(found.next)},
                                                {"more", found.truncated},
                                                {"evicted", found.evicted}});
                               });
}

void terminal_search(ToolCall& call, Arguments& arguments) {
  request::Search search;
  search.id = arguments.terminal();
  search.pattern = arguments.text("pattern");
  search.regex = arguments.flag("regex");
  search.ignore_case = arguments.flag("ignore_case");
  search.limit = static_cast<std::size_t>(arguments.integer("limit", 1, 1000, 50));
  search.cursor = arguments.cursor("cursor");
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Matches>(search,
                               [self = call.shared_from_this()](const reply::Matches& found) {
                                 static constexpr Caps line_caps{3, 1024};
                                 Json matches = Json::array();
                                 for (const auto& match : found.matches) {
                                   matches.push_back({{"line", excerpt(match.line, line_caps).text},
                                                      {"start", to_json(match.start)},
                                                      {"end", to_json(match.end)}});
                                 }
                                 self->succeed({{"matches", matches},
                                                {"next", to_json(found.next)},
                                                {"more", found.truncated},
                                                {"evicted", found.evicted}});
                               });
}

}  // namespace troupe::mcp
