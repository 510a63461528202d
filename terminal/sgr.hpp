// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// SGR: from parameters to a pen, and from a look back to parameters.

#include <string>

#include "terminal/cell.hpp"
#include "terminal/tables.hpp"
#include "terminal/tokenizer.hpp"

namespace troupe::terminal {

/// What the next character will look like; `extra` holds underline colour and hyperlink in full.
struct Pen {
  Attributes look;
  Extra extra;
};

/// Applies `CSI … m`. Returns whether `pen.extra` changed (its id is then stale). A colour that is
/// cut short ends the sequence without touching other attributes.
bool apply_sgr(const Parameters& parameters, Pen& pen);

/// The parameters that lead from the default look to this one, without leading or trailing
/// semicolon; empty for the default look.
[[nodiscard]] std::string sgr_parameters(const Attributes& look, Color underline);

/// Appends the sequence that sets exactly this look, whatever was set before.
void append_sgr(std::string& out, const Attributes& look, Color underline);

}  // namespace troupe::terminal
