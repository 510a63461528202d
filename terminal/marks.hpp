// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The grammar of OSC 133 and OSC 633, the marks with which a shell tells where a command begins
/// and ends.
///
///     133;A            the prompt begins            133;C[;params]       output begins
///     133;B            the prompt ends, input       133;D[;status;params] the command ended
///     633;E;TEXT;NONCE the command line             633;P;Cwd=PATH       the working directory
///     133;P;k=s        a prompt for the rest of an unfinished command line (PS2); k=c is the same
///
/// A, B, C and D exist in both dialects, E and P only in 633. Params are `key=value`, separated by
/// `;`. Of them `nonce` (C and D) and `cmdline_url` (C, percent-encoded) mean something here.
/// TEXT escapes bytes as `\xHH` and a backslash as `\\`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::terminal {

enum class Dialect : std::uint8_t { osc133, osc633 };
enum class MarkKind : std::uint8_t {
  prompt,
  input,
  executed,
  finished,
  command_line,
  continuation
};

struct Mark {
  MarkKind kind = MarkKind::prompt;
  Dialect dialect = Dialect::osc133;
  std::optional<std::int32_t> status;  ///< D; absent where it is missing or no 32-bit number
  std::optional<std::string> command;  ///< E, and C's `cmdline_url`; valid UTF-8
  std::optional<std::string> nonce;    ///< C, D, E
};

/// The mark in `payload` (what stands between `ESC ]` and the terminator), or nothing.
std::optional<Mark> parse_mark(std::string_view payload);

/// The value of `633;P;Cwd=…`, unescaped, or nothing.
std::optional<std::string> parse_cwd_property(std::string_view payload);

/// Percent-decoding; nothing where an escape is cut or no hexadecimal number.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace troupe::terminal
