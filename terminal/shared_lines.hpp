// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What expressions can be spared of the shared rows: hundreds of waits that each ran their own
/// automaton over all output would slow the terminal a hundredfold.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "terminal/pattern.hpp"
#include "terminal/stream_matcher.hpp"

namespace troupe::terminal {

/// The lines that the scans of one terminal read together, prepared once for all their expressions.
///
/// Threads: that of the terminal value.
/// Bounds: a piece of the shared rows twice, and a line of `LineMatcher::default_window` bytes.
/// Invariants: `Verdict::none` is only said where the expression itself would find nothing.
class SharedLines {
 public:
  /// The text goes on elsewhere. What `take` is given next may stand within a line.
  void restart();
  /// The next piece: its first line, with what was given of it before, and the other lines that end
  /// in it. `expressions` is how many there are to spare: a few run sooner than this prepares.
  void take(std::string_view text, std::size_t expressions);
  /// The present line and `text`, which may still change, as first line.
  void peek(std::string_view text, std::size_t expressions);
  /// A line on its own, as first line.
  void look_at(std::string_view line, std::size_t expressions);
  /// What this says of the lines that were given last.
  [[nodiscard]] Verdicts verdicts(const Pattern& pattern) const;

 private:
  std::optional<FoldedText> first_;
  std::optional<FoldedText> rest_;
  std::string line_;         // the present line
  bool line_known_ = false;  // all of it
};

}  // namespace troupe::terminal
