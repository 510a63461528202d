// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

/// How often a page is asked for again: output can push a line out of what is kept meanwhile.
constexpr int page_attempts = 3;

/// Paged, not excerpted: what does not fit is the next page. The daemon knows where a line ends in
/// its rows, so a page of too many lines is asked for again with the bytes of those that may stay.
void read_page(const std::shared_ptr<ToolCall>& call, const request::Since& since,
               std::size_t max_lines, int attempts) {
  call->ask_for<reply::Text>(since, [=](const reply::Text& text) {
    const std::size_t fitting = bytes_of_lines(text.slice.text, max_lines);
    if (fitting < text.slice.text.size() && attempts > 1) {
      request::Since shorter = since;
      shorter.max_bytes = fitting;
      return read_page(call, shorter, max_lines, attempts - 1);
    }
    call->succeed({{"screen", text.slice.text},
                   {"cut", false},
                   {"start", to_json(text.slice.start)},
                   {"next", to_json(text.slice.next)},
                   {"more", text.slice.truncated},
                   {"evicted", text.slice.evicted},
                   {"alt_screen", text.slice.alt_screen}});
  });
}

/// The rows that fit; where there are more they are asked for again, as many as these.
void read_rows(const std::shared_ptr<ToolCall>& call, const request::History& history,
               std::size_t max_bytes, int attempts) {
  call->ask_for<reply::History>(history, [=](const reply::History& found) {
    std::size_t fitting = 0;
    ListRoom room(max_bytes);
    while (fitting < found.lines.size() && room.take(found.lines[fitting].size())) {
      ++fitting;
    }
    if (fitting < found.lines.size() && attempts > 1) {
      request::History fewer = history;
      fewer.cursor = CursorAt{found.start.seq, found.start.col, found.start.epoch};
      fewer.rows = fitting;
      return read_rows(call, fewer, max_bytes, attempts - 1);
    }
    Json lines = Json::array();
    for (const std::string& line : found.lines) {
      lines.push_back(excerpt(line, Caps{3, max_bytes}).text);
    }
    call->succeed({{"lines", lines},
                   {"start", to_json(found.start)},
                   {"next", to_json(found.next)},
                   {"more", found.truncated || fitting < history.rows.value_or(0)},
                   {"evicted", found.evicted}});
  });
}

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
  read_page(call.shared_from_this(), request::Since{id, *since, caps.max_bytes}, caps.max_lines,
            page_attempts);
}

void terminal_history(ToolCall& call, Arguments& arguments) {
  request::History history;
  history.id = arguments.terminal();
  history.cursor = arguments.cursor("cursor");
  history.rows = static_cast<std::size_t>(arguments.integer("lines", 1, 10'000, 100));
  const Caps caps = read_caps(arguments);
  if (refused(call, arguments)) {
    return;
  }
  read_rows(call.shared_from_this(), history, caps.max_bytes, page_attempts);
}

void terminal_search(ToolCall& call, Arguments& arguments) {
  request::Search search;
  search.id = arguments.terminal();
  search.pattern = arguments.text("pattern");
  search.regex = arguments.flag("regex");
  search.ignore_case = arguments.flag("ignore_case");
  search.limit = static_cast<std::size_t>(arguments.integer("limit", 1, 1000, 50));
  search.cursor = arguments.cursor("cursor");
  const std::size_t max_bytes = read_caps(arguments).max_bytes;
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Matches>(
      search, [self = call.shared_from_this(), max_bytes](const reply::Matches& found) {
        static constexpr Caps line_caps{3, 1024};
        Json matches = Json::array();
        Cursor next = found.next;
        bool more = found.truncated;
        ListRoom room(max_bytes);
        for (const auto& match : found.matches) {
          Json row = {{"line", excerpt(match.line, line_caps).text},
                      {"start", to_json(match.start)},
                      {"end", to_json(match.end)}};
          if (!room.take(dump(row).size())) {
            more = true;
            break;
          }
          // Where the rows end before the daemon's answer does, the search goes on behind the last.
          next = matches.size() + 1 < found.matches.size() ? match.end : found.next;
          matches.push_back(std::move(row));
        }
        self->succeed({{"matches", matches},
                       {"next", to_json(next)},
                       {"more", more},
                       {"evicted", found.evicted}});
      });
}

}  // namespace troupe::mcp
