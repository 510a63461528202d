// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What `tools/list` tells, by the groups of the handlers. Inside of this folder only; others ask
/// `tool_list` and `find_tool` (mcp/tools.hpp).

#include "mcp/rpc.hpp"

namespace troupe::mcp::catalogue {

// Each appends the descriptions of its group: catalogue_terminals.cpp for tools_terminals.cpp, …
void add_terminal_tools(Json& tools);
void add_input_tools(Json& tools);
void add_view_tools(Json& tools);
void add_command_tools(Json& tools);
void add_wait_tools(Json& tools);

}  // namespace troupe::mcp::catalogue
