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

#include "base/result.hpp"

namespace re2 {
class RE2;
}

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

/// A compiled pattern.
///
/// Bounds: 1 MiB for program and caches, beyond which RE2 gets slower but stays linear.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view pattern, Syntax syntax, Case letters);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  /// The leftmost match that begins at or after `from`. What stands before `from` is context: `^`
  /// is the start of `text`, not `from`.
  [[nodiscard]] std::optional<ByteSpan> find(std::string_view text, std::size_t from = 0) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> compiled);

  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace troupe::terminal
