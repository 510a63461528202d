// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The words in which the catalogue describes the tools: small JSON schemas by their meaning, so
/// that a description reads as a table.

#include "mcp/rpc.hpp"

namespace troupe::mcp::catalogue {

// -- values --------------------------------------------------------------------------------------

Json text(const char* what);
Json number(const char* what);
Json integer(const char* what);
Json flag(const char* what);
Json texts(const char* what);
Json either_null(const char* type, const char* what);
Json object(const Json& properties, const Json& required);

// -- what many tools take or give ----------------------------------------------------------------

/// What a tool takes: nothing beside `properties`.
Json input_schema(const Json& properties, const Json& required);
/// The id of a terminal.
Json id();
Json cursor_in(const char* what);
Json cursor_out(const char* what);
/// `properties`, and how much text the result may have (`read_caps`).
Json caps(Json properties);
/// `properties`, and what was left out of the text (`add_excerpt`).
Json cut(Json properties);
/// `properties`, and whether the program runs (`add_lifecycle`).
Json lifecycle(Json properties);

// -- a tool --------------------------------------------------------------------------------------

struct Effects {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = true;
};

inline constexpr Effects reads{true, false, true, false};
inline constexpr Effects acts{false, true, false, true};

struct Description {
  const char* name;
  const char* title;
  const char* what;
  Effects effects;
};

/// An entry of `tools/list`. `output` is what the tool gives where it succeeds.
Json tool(const Description& about, const Json& input, const Json& output);

}  // namespace troupe::mcp::catalogue
