// SPDX-License-Identifier: MIT
#include "terminal/pattern.hpp"

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::terminal {
namespace {

// RE2 takes two thirds of it for the program: some 2,700 instructions. A character class in UTF-8
// takes up to a dozen, and what is repeated counts as often.
constexpr std::int64_t max_program_bytes = std::int64_t{64} << 10;
constexpr std::int64_t max_memory_bytes = std::int64_t{1} << 20;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string with_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  }
  return small;
}

/// RE2 takes dotted I, the Kelvin sign and the long s for the small letters i, k and s.
bool has_letters_for_ascii(std::string_view text) {
  if (is_ascii(text)) {
    return false;
  }
  for (const std::string_view letter : {"\xC4\xB0", "\xE2\x84\xAA", "\xC5\xBF"}) {
    if (text.find(letter) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

// -- FoldedText ----------------------------------------------------------------------------------

FoldedText::FoldedText(std::string_view text)
    : text_(with_small_letters(text)), grams_(text_), exotic_(has_letters_for_ascii(text)) {}

bool FoldedText::may_hold(std::string_view piece, const std::vector<GramSet::Gram>& grams) const {
  return exotic_ || (grams_.may_hold(grams) &&
                     ::memmem(text_.data(), text_.size(), piece.data(), piece.size()) != nullptr);
}

// -- Pattern -------------------------------------------------------------------------------------

struct Pattern::Compiled {
  /// A word that matches have, alone or as one of several.
  struct Word {
    std::string text;
    std::vector<GramSet::Gram> grams;
    bool any = false;  // beyond ASCII, where what a small letter is is not looked at
  };
  re2::FilteredRE2 filter{static_cast<int>(GramSet::gram_bytes)};
  std::vector<Word> words;

  [[nodiscard]] const re2::RE2& expression() const { return filter.GetRE2(0); }
};

Result<> check_pattern(std::string_view pattern) {
  if (pattern.empty()) {
    return Error{Code::bad_request, "the pattern is empty"};
  }
  if (pattern.size() > max_pattern_bytes) {
    return Error{Code::too_large, "the pattern is longer than 4096 bytes"};
  }
  return success();
}

Pattern::Pattern(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
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
  options.set_max_mem(max_program_bytes);
  const re2::StringPiece text(pattern.data(), pattern.size());
  // First with room for a program alone: one that is too large for that is refused before it costs.
  if (const re2::RE2 probe(text, options); !probe.ok()) {
    return Error{Code::bad_request, "invalid pattern: " + probe.error()};
  }
  options.set_max_mem(max_memory_bytes);
  auto compiled = std::make_unique<Compiled>();
  int number = 0;
  if (compiled->filter.Add(text, options, &number) != re2::RE2::NoError) {
    return Error{Code::bad_request, "invalid pattern"};
  }
  std::vector<std::string> words;
  compiled->filter.Compile(&words);
  for (std::string& word : words) {
    std::vector<GramSet::Gram> grams = GramSet::grams_of(word);
    const bool any = !is_ascii(word);
    compiled->words.push_back({std::move(word), std::move(grams), any});
  }
  return Pattern(std::move(compiled));
}

bool Pattern::may_match(const FoldedText& text) const {
  if (compiled_->words.empty()) {
    return true;
  }
  std::vector<int> held;
  for (std::size_t i = 0; i < compiled_->words.size(); ++i) {
    const Compiled::Word& word = compiled_->words[i];
    if (word.any || text.may_hold(word.text, word.grams)) {
      held.push_back(static_cast<int>(i));
    }
  }
  if (held.empty()) {
    return false;
  }
  std::vector<int> matching;
  compiled_->filter.AllPotentials(held, &matching);
  return !matching.empty();
}

std::optional<ByteSpan> Pattern::find(std::string_view text, std::size_t from) const {
  if (from > text.size()) {
    return std::nullopt;
  }
  re2::StringPiece match;
  if (!compiled_->expression().Match(re2::StringPiece(text.data(), text.size()), from, text.size(),
                                     re2::RE2::UNANCHORED, &match, 1)) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return ByteSpan{begin, begin + match.size()};
}

}  // namespace troupe::terminal
