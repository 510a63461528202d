// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The tools: their descriptions for `tools/list`, and their handlers, one group a file.

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "mcp/excerpt.hpp"
#include "mcp/tool_call.hpp"
#include "protocol/responses.hpp"

namespace troupe::mcp {

/// The `tools` array of `tools/list`.
const Json& tool_list();
/// The handler of a tool; null for an unknown name.
Handler find_tool(std::string_view name);

// tools_terminals.cpp
void terminal_launch(ToolCall& call, Arguments& arguments);
void terminal_list(ToolCall& call, Arguments& arguments);
void terminal_close(ToolCall& call, Arguments& arguments);
// tools_input.cpp
void terminal_send_input(ToolCall& call, Arguments& arguments);
void terminal_keys(ToolCall& call, Arguments& arguments);
void terminal_resize(ToolCall& call, Arguments& arguments);
void terminal_signal(ToolCall& call, Arguments& arguments);
// tools_view.cpp
void terminal_snapshot(ToolCall& call, Arguments& arguments);
void terminal_read(ToolCall& call, Arguments& arguments);
void terminal_history(ToolCall& call, Arguments& arguments);
void terminal_search(ToolCall& call, Arguments& arguments);
// tools_command.cpp
void terminal_run(ToolCall& call, Arguments& arguments);
void terminal_journal(ToolCall& call, Arguments& arguments);
void terminal_output(ToolCall& call, Arguments& arguments);
// tools_wait.cpp
void terminal_wait_for(ToolCall& call, Arguments& arguments);

// -- shared by the handlers ----------------------------------------------------------------------

Json to_json(const Cursor& cursor);
/// A place of a reply, to be asked for.
CursorAt place(const Cursor& cursor);
Json to_json(const CommandRecord& record);
/// `running`, `exited` or `failed`, with the exit code where there is one.
void add_lifecycle(Json& into, const protocol::TerminalInfo& terminal);
/// `text` under `key`, cut to the caps of the arguments `max_lines` and `max_bytes`.
void add_excerpt(Json& into, const char* key, std::string_view text, const Caps& caps);
Caps read_caps(Arguments& arguments);
/// Bytes of a list's rows as JSON, where the caller does not say.
inline constexpr std::size_t list_bytes = 32'768;
/// Ends the call where an argument is wrong.
bool refused(ToolCall& call, const Arguments& arguments);

}  // namespace troupe::mcp
