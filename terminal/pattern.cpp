// SPDX-License-Identifier: MIT
#include "terminal/pattern.hpp"

#include <re2/re2.h>

#include <utility>

namespace troupe::terminal {

Result<> check_pattern(std::string_view pattern) {
  if (pattern.empty()) {
    return Error{Code::bad_request, "the pattern is empty"};
  }
  if (pattern.size() > max_pattern_bytes) {
    return Error{Code::too_large, "the pattern is longer than 4096 bytes"};
  }
  return success();
}

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view pattern, Syntax syntax, Case letters) {
  if (auto checked = check_pattern(pattern); !checked) {
    return checked.error();
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_literal(syntax == Syntax::literal);
  options.set_case_sensitive(letters == Case::sensitive);
  options.set_max_mem(std::int64_t{1} << 20);
  auto compiled =
      std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) {
    return Error{Code::bad_request, "invalid pattern: " + compiled->error()};
  }
  return Pattern(std::move(compiled));
}

std::optional<ByteSpan> Pattern::find(std::string_view text, std::size_t from) const {
  if (from > text.size()) {
    return std::nullopt;
  }
  re2::StringPiece match;
  if (!compiled_->Match(re2::StringPiece(text.data(), text.size()), from, text.size(),
                        re2::RE2::UNANCHORED, &match, 1)) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return ByteSpan{begin, begin + match.size()};
}

}  // namespace troupe::terminal
