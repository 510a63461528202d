// SPDX-License-Identifier: MIT
#include "terminal/shared_lines.hpp"

namespace troupe::terminal {
namespace {

/// Longer lines are each expression's own: it looks at parts of them.
constexpr std::size_t longest_line = LineMatcher::default_window;

bool is_worth_it(std::string_view text, std::size_t expressions) {
  constexpr std::size_t few = 4;
  constexpr std::size_t many = 16;
  constexpr std::size_t long_text = 1024;
  return expressions >= many || (expressions >= few && text.size() >= long_text);
}

void fold(std::optional<FoldedText>& folded, std::string_view text, std::size_t expressions) {
  if (is_worth_it(text, expressions)) {
    folded.emplace(text);
  } else {
    folded.reset();
  }
}

Verdict verdict(const std::optional<FoldedText>& folded, const Pattern& pattern) {
  return !folded || pattern.may_match(*folded) ? Verdict::possible : Verdict::none;
}

}  // namespace

void SharedLines::restart() {
  line_.clear();
  line_known_ = false;
}

void SharedLines::take(std::string_view text, std::size_t expressions) {
  first_.reset();
  rest_.reset();
  if (expressions == 0) {
    restart();
    return;
  }
  const std::size_t end = text.find('\n');
  const std::string_view head = text.substr(0, end);
  line_known_ = line_known_ && line_.size() + head.size() < longest_line;
  if (line_known_) {
    line_ += head;
    fold(first_, line_, expressions);
  }
  if (end == std::string_view::npos) {
    return;
  }
  text.remove_prefix(end + 1);
  const std::size_t last = text.rfind('\n');
  const std::string_view tail = last == std::string_view::npos ? text : text.substr(last + 1);
  line_known_ = tail.size() < longest_line;
  line_ = line_known_ ? tail : std::string_view{};
  if (line_known_) {
    fold(rest_, text, expressions);
  }
}

void SharedLines::peek(std::string_view text, std::size_t expressions) {
  first_.reset();
  if (line_known_ && expressions > 0) {
    fold(first_, line_ + std::string(text), expressions);
  }
}

void SharedLines::look_at(std::string_view line, std::size_t expressions) {
  fold(first_, line, expressions);
}

Verdicts SharedLines::verdicts(const Pattern& pattern) const {
  return {verdict(first_, pattern), verdict(rest_, pattern)};
}

}  // namespace troupe::terminal
