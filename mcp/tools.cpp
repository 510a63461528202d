// SPDX-License-Identifier: MIT
#include "mcp/tools.hpp"

#include <nlohmann/json.hpp>

#include "protocol/words.hpp"

namespace troupe::mcp {
namespace {

/// A command may be a script that was pasted, and lists hold many.
constexpr Caps command_caps{10, 512};

}  // namespace

Json to_json(const Cursor& cursor) {
  return {{"seq", cursor.seq}, {"col", cursor.col}, {"epoch", cursor.epoch}};
}

CursorAt place(const Cursor& cursor) {
  return {cursor.seq, cursor.col, cursor.epoch};
}

Json to_json(const CommandRecord& record) {
  Json out = {{"index", record.index},
              {"command", nullptr},
              {"running", record.running},
              {"exit_code", nullptr},
              {"incomplete", record.incomplete},
              {"trusted", record.trusted},
              {"started_ms", record.started_ms},
              {"duration_ms", nullptr},
              {"cwd", nullptr},
              {"start", to_json(record.start)},
              {"end", to_json(record.end)}};
  if (record.command) {
    const Excerpt command = excerpt(*record.command, command_caps);
    out["command"] = command.text;
    if (command.truncated) {
      out["command_cut"] = true;
    }
  }
  if (record.exit_code) {
    out["exit_code"] = *record.exit_code;
  }
  if (record.ended_ms) {
    out["duration_ms"] = *record.ended_ms - record.started_ms;
  }
  if (record.cwd) {
    out["cwd"] = *record.cwd;
  }
  return out;
}

void add_lifecycle(Json& into, const protocol::TerminalInfo& terminal) {
  into["state"] = "running";
  into["exit_code"] = nullptr;
  if (const auto* exited = std::get_if<protocol::Exited>(&terminal.lifecycle)) {
    into["state"] = "exited";
    if (exited->exit_code) {
      into["exit_code"] = *exited->exit_code;
    }
  } else if (const auto* failed = std::get_if<protocol::Failed>(&terminal.lifecycle)) {
    into["state"] = "failed";
    into["failure"] = failed->message;
  }
}

void add_excerpt(Json& into, const char* key, std::string_view text, const Caps& caps) {
  const Excerpt cut = excerpt(text, caps);
  into[key] = cut.text;
  into["cut"] = cut.truncated;
  if (cut.truncated) {
    into["omitted_lines"] = cut.omitted_lines;
    into["omitted_bytes"] = cut.omitted_bytes;
  }
}

Caps read_caps(Arguments& arguments) {
  static constexpr std::int64_t most_lines = 10'000;
  static constexpr std::int64_t most_bytes = 1024 * 1024;
  Caps caps;
  caps.max_lines = static_cast<std::size_t>(
      arguments.integer("max_lines", 3, most_lines, static_cast<std::int64_t>(caps.max_lines)));
  caps.max_bytes = static_cast<std::size_t>(
      arguments.integer("max_bytes", 256, most_bytes, static_cast<std::int64_t>(caps.max_bytes)));
  return caps;
}

bool refused(ToolCall& call, const Arguments& arguments) {
  if (const auto fault = arguments.fault()) {
    call.fail(*fault);
    return true;
  }
  return false;
}

}  // namespace troupe::mcp
