// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A plain reader of shell integration marks, written for tests apart from the project's own.

#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// One piece of a stream: an OSC 7, 133 or 633, or the bytes between two of them.
struct Piece {
  std::string osc;   ///< the payload; empty for other bytes
  std::string text;  ///< the bytes of other output; empty for a mark
};
std::vector<Piece> pieces(std::string_view stream);

/// The marks in short: `A B E[echo hi] C D[0] A B`. OSC 7 is left out, of repeated B (a redrawn
/// prompt) and A B pairs one is kept. A mark whose nonce is not `nonce` gets a question mark
/// (an A and a B carry none).
std::string outline(std::string_view stream, std::string_view nonce);

/// What was printed between each C and D, without a shell's own CSI sequences at its start.
std::vector<std::string> outputs(std::string_view stream);

/// The paths of all OSC 7, decoded, one a change.
std::vector<std::string> directories(std::string_view stream);

/// The stream without its marks: what a person sees, and all other escape sequences.
std::string without_marks(std::string_view stream);

/// How many prompts are complete: an A and a later B.
std::size_t prompts(std::string_view stream);

}  // namespace troupe::test
