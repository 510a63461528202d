// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Bytes for the PTY: named keys and pastes, as a terminal in the program's present modes sends
/// them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "terminal/requests.hpp"
#include "terminal/screen.hpp"

namespace troupe::terminal {

/// The bytes of one key, by its name in `base/key.hpp`. Anything else is `bad_request`.
///
/// Without the kitty keyboard protocol the encoding is xterm's, as terminfo's xterm-256color has it
/// (f13 … f24 are shift+f1 … shift+f12 there). Only presses are sent.
Result<std::string> encode_key(std::string_view key, const InputModes& modes);

Result<std::string> encode_keys(const std::vector<std::string>& keys, const InputModes& modes);

/// A paste: line ends as CR, framed where bracketed paste is on. An embedded end of a paste, also
/// in its C1 form, is removed, because what follows it would be typed.
std::string encode_paste(std::string_view text, const InputModes& modes);

/// `text` and Enter, for `run`. Text of several lines, or with control characters that a line
/// editor would take for keys, goes as one paste where bracketed paste is on.
std::string run_input(std::string_view text, const InputModes& modes);
/// How that text reaches the shell.
Typed how_typed(std::string_view text, const InputModes& modes);

}  // namespace troupe::terminal
