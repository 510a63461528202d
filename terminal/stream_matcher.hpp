// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Searching text that arrives in pieces, each byte once: a wait that read its text again at every
/// chunk would cost the square of what it waits through.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/gram_set.hpp"
#include "terminal/pattern.hpp"

namespace troupe::terminal {

/// Whether a text may hold a match.
enum class Verdict : std::uint8_t { possible, none };

/// What was found for many matchers at once (`SharedLines`), of a piece with line ends.
struct Verdicts {
  Verdict first = Verdict::possible;  ///< the line that goes on or begins with the piece
  Verdict rest = Verdict::possible;   ///< the other lines that end in it
};

/// What is known of a text before a matcher reads it.
struct Hints {
  const GramSet* grams = nullptr;  ///< the text's, where they were worth gathering
  Verdicts verdicts;
};

/// Finds the first match in a stream of text and line ends. Answers are offsets in that stream, one
/// past the match; a line end counts as one byte.
class StreamMatcher {
 public:
  virtual ~StreamMatcher() = default;

  /// Starts anew. `context` is the start of the present line before the place from which matches
  /// may begin.
  virtual void restart(std::string_view context) = 0;
  /// More text of the present line, final.
  virtual std::optional<std::uint64_t> append(std::string_view text) = 0;
  /// The present line has ended.
  virtual std::optional<std::uint64_t> end_line() = 0;
  /// More text, final, with newlines for line ends.
  virtual std::optional<std::uint64_t> append_lines(std::string_view text, const Hints& hints) = 0;
  /// Looks at more text of the present line without taking it: it can still change. `verdict` is
  /// that of the line with it, as far as `append_lines` was given it.
  virtual std::optional<std::uint64_t> peek(std::string_view text, Verdict verdict) = 0;
  /// Looks at one line on its own, from `begin` on.
  [[nodiscard]] virtual std::optional<std::size_t> find_in(std::string_view line,
                                                           std::size_t begin) const = 0;
};

/// A literal needle, also across line ends. Between pieces of text it keeps one number, how much of
/// the needle stands at the end of what was read (as Knuth, Morris and Pratt have it).
class NeedleMatcher final : public StreamMatcher {
 public:
  explicit NeedleMatcher(std::string needle);

  void restart(std::string_view context) override;
  std::optional<std::uint64_t> append(std::string_view text) override;
  std::optional<std::uint64_t> end_line() override { return append("\n"); }
  std::optional<std::uint64_t> append_lines(std::string_view text, const Hints& hints) override;
  std::optional<std::uint64_t> peek(std::string_view text, Verdict verdict) override;
  [[nodiscard]] std::optional<std::size_t> find_in(std::string_view line,
                                                   std::size_t begin) const override;

 private:
  struct State {
    std::size_t matched = 0;
    std::uint64_t offset = 0;
  };
  void step(State& state, char c) const;
  std::optional<std::uint64_t> advance(State& state, std::string_view text,
                                       const GramSet* grams) const;

  std::string needle_;
  std::vector<std::uint16_t> fallback_;
  std::vector<GramSet::Gram> grams_;
  State state_;
};

/// A regular expression, tried for each line. Of a line that does not end, the last `window` bytes
/// are looked at. A verdict on the first line is believed where all of it came by `append_lines`.
class LineMatcher final : public StreamMatcher {
 public:
  static constexpr std::size_t default_window = 64U * 1024;

  explicit LineMatcher(std::shared_ptr<const Pattern> pattern, std::size_t window = default_window);

  void restart(std::string_view context) override;
  std::optional<std::uint64_t> append(std::string_view text) override;
  std::optional<std::uint64_t> end_line() override;
  std::optional<std::uint64_t> append_lines(std::string_view text, const Hints& hints) override;
  std::optional<std::uint64_t> peek(std::string_view text, Verdict verdict) override;
  [[nodiscard]] std::optional<std::size_t> find_in(std::string_view line,
                                                   std::size_t begin) const override;

  /// What is held of the present line.
  [[nodiscard]] std::string_view pending() const { return line_; }

 private:
  [[nodiscard]] std::optional<std::uint64_t> find() const;
  std::optional<std::uint64_t> append_to_line(std::string_view text);
  std::optional<std::uint64_t> take_line(std::string_view text);
  void pass(std::string_view text);
  void trim();

  std::shared_ptr<const Pattern> pattern_;
  std::size_t window_;
  std::string line_;          // the present line, or its end with `begin_` bytes of context
  std::size_t begin_ = 0;     // matches begin at or after this byte of `line_`
  std::uint64_t offset_ = 0;  // stream offset of the end of `line_`
  // The present line began in `append_lines` and nothing else was read of it: verdicts on it hold.
  bool shared_line_ = false;
};

}  // namespace troupe::terminal
