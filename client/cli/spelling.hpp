// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How people write cursors and bytes, and how a command's state is called.

#include <optional>
#include <string>
#include <string_view>

#include "base/command_record.hpp"
#include "base/text_read.hpp"

namespace troupe::client::cli {

/// `SEQ`, `SEQ:COL`, `SEQ:COL@EPOCH`, `now` or `end`, `start` or `oldest`; nothing for anything
/// else.
std::optional<CursorSpec> parse_cursor(std::string_view text);
/// `SEQ:COL`, with `@EPOCH` where a width change has renamed rows.
std::string cursor_text(const Cursor& cursor);

/// Escapes as `send` takes them: `\n` and `\r` (both Enter), `\t`, `\\`, `\0`, `\xHH`. Everything
/// else stands for itself, its backslash too.
std::string decode_escapes(std::string_view text);

/// `running`, `incomplete`, `exited` or `done` (it ended and told no status).
std::string_view record_status(const CommandRecord& record);

/// `text` as one word for a POSIX shell; left alone where it needs no quotes.
std::string shell_word(std::string_view text);

/// Whether a shell starts a command for this text: not for blanks and comments alone.
bool runs_something(std::string_view text);

/// Whether a quote is surely left open, in any shell: false for what shells read differently
/// (substitutions, here documents, comments, a backslash between single quotes).
bool has_open_quote(std::string_view text);

}  // namespace troupe::client::cli
