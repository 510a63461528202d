// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Regular expressions of the wire: RE2, whose cost is linear in the text whatever the expression.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "terminal/gram_set.hpp"

namespace troupe::terminal {

/// Bytes of a needle or an expression at most; a longer one is `too_large`.
inline constexpr std::size_t max_pattern_bytes = 4096;

/// `bad_request` for an empty pattern, `too_large` for one over the limit.
Result<> check_pattern(std::string_view pattern);

enum class Syntax : std::uint8_t { literal, regex };
enum class Case : std::uint8_t { sensitive, ignored };

/// A half-open range of bytes.
struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A text as patterns look for what they need in it: small letters, and the pieces that it holds.
/// Made once for many patterns.
class FoldedText {
 public:
  explicit FoldedText(std::string_view text);
  /// Whether it may hold `piece`, whose grams are `grams`; both of small letters.
  [[nodiscard]] bool may_hold(std::string_view piece,
                              const std::vector<GramSet::Gram>& grams) const;

 private:
  std::string text_;
  GramSet grams_;
  bool exotic_;  // has letters beyond ASCII that small letters of ASCII stand for
};

/// A compiled pattern.
///
/// Bounds: about 2,700 instructions, as RE2 counts them (`bad_request` beyond), and 1 MiB for
/// program
///   and caches, beyond which RE2 gets a hundred times slower but stays linear.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view pattern, Syntax syntax, Case letters);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  /// The leftmost match that begins at or after `from`. What stands before `from` is context: `^`
  /// is the start of `text`, not `from`.
  [[nodiscard]] std::optional<ByteSpan> find(std::string_view text, std::size_t from = 0) const;
  /// False where no part of the text can match, because it has not the words that every match has.
  /// A pattern that demands no word of three bytes may match any text.
  [[nodiscard]] bool may_match(const FoldedText& text) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<const Compiled> compiled);

  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace troupe::terminal
