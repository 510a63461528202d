// SPDX-License-Identifier: MIT
#include "mcp/catalogue.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

Json make_tools() {
  Json tools = Json::array();
  catalogue::add_terminal_tools(tools);
  catalogue::add_input_tools(tools);
  catalogue::add_view_tools(tools);
  catalogue::add_command_tools(tools);
  catalogue::add_wait_tools(tools);
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
