// SPDX-License-Identifier: MIT
#include "terminal/stream_matcher.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace troupe::terminal {

// -- NeedleMatcher -------------------------------------------------------------------------------

NeedleMatcher::NeedleMatcher(std::string needle)
    : needle_(std::move(needle)), fallback_(needle_.size()), grams_(GramSet::grams_of(needle_)) {
  assert(!needle_.empty() && needle_.size() <= max_pattern_bytes);
  for (std::size_t i = 1, length = 0; i < needle_.size(); ++i) {
    while (length > 0 && needle_[i] != needle_[length]) {
      length = fallback_[length - 1];
    }
    length += needle_[i] == needle_[length] ? 1U : 0U;
    fallback_[i] = static_cast<std::uint16_t>(length);
  }
}

void NeedleMatcher::restart(std::string_view /*context*/) {
  state_ = {};
}

void NeedleMatcher::step(State& state, char c) const {
  while (state.matched > 0 && c != needle_[state.matched]) {
    state.matched = fallback_[state.matched - 1];
  }
  state.matched += c == needle_[state.matched] ? 1U : 0U;
}

std::optional<std::uint64_t> NeedleMatcher::advance(State& state, std::string_view text,
                                                    const GramSet* grams) const {
  // What is under way from before `text`, until only a match inside of it is possible.
  std::size_t at = 0;
  while (state.matched > at && at < text.size()) {
    step(state, text[at++]);
    if (state.matched == needle_.size()) {
      state.matched = 0;
      return state.offset + at;
    }
  }
  if (state.matched > at) {
    state.offset += text.size();
    return std::nullopt;
  }
  const std::size_t begin = at - state.matched;
  state.matched = 0;
  if (grams == nullptr || grams->may_hold(grams_)) {
    const void* const found =
        ::memmem(text.data() + begin, text.size() - begin, needle_.data(), needle_.size());
    if (found != nullptr) {
      const auto start = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
      return state.offset + start + needle_.size();
    }
  }
  // What of the needle stands at the end is decided by the last bytes alone.
  const std::size_t last = text.size() - std::min(text.size(), needle_.size() - 1);
  for (at = std::max(begin, last); at < text.size(); ++at) {
    step(state, text[at]);
  }
  state.offset += text.size();
  return std::nullopt;
}

std::optional<std::uint64_t> NeedleMatcher::append(std::string_view text) {
  return advance(state_, text, nullptr);
}

std::optional<std::uint64_t> NeedleMatcher::append_lines(std::string_view text,
                                                         const Hints& hints) {
  return advance(state_, text, hints.grams);
}

std::optional<std::uint64_t> NeedleMatcher::peek(std::string_view text, Verdict /*verdict*/) {
  State state = state_;
  return advance(state, text, nullptr);
}

std::optional<std::size_t> NeedleMatcher::find_in(std::string_view line, std::size_t begin) const {
  const std::size_t found = line.find(needle_, begin);
  return found == std::string_view::npos ? std::nullopt : std::optional(found + needle_.size());
}

// -- LineMatcher ---------------------------------------------------------------------------------

LineMatcher::LineMatcher(std::shared_ptr<const Pattern> pattern, std::size_t window)
    : pattern_(std::move(pattern)), window_(window) {}

void LineMatcher::restart(std::string_view context) {
  line_ = context;
  begin_ = context.size();
  offset_ = 0;
  shared_line_ = false;
}

std::optional<std::uint64_t> LineMatcher::find() const {
  const auto span = pattern_->find(line_, begin_);
  return span ? std::optional(offset_ - (line_.size() - span->end)) : std::nullopt;
}

void LineMatcher::trim() {
  if (line_.size() <= window_) {
    return;
  }
  std::size_t cut = line_.size() - window_;
  while (cut < line_.size() && (static_cast<unsigned char>(line_[cut]) & 0xC0) == 0x80) {
    ++cut;
  }
  // One character stays in front as context, so that `^` does not match at the cut.
  std::size_t context = cut - 1;
  while (context > 0 && (static_cast<unsigned char>(line_[context]) & 0xC0) == 0x80) {
    --context;
  }
  begin_ = std::max(begin_, cut) - context;
  line_.erase(0, context);
}

std::optional<std::uint64_t> LineMatcher::append(std::string_view text) {
  shared_line_ = false;
  return append_to_line(text);
}

std::optional<std::uint64_t> LineMatcher::append_to_line(std::string_view text) {
  line_ += text;
  offset_ += text.size();
  if (line_.size() < 2 * window_) {
    return std::nullopt;
  }
  const auto found = find();
  trim();
  return found;
}

std::optional<std::uint64_t> LineMatcher::end_line() {
  const auto found = find();
  line_.clear();
  begin_ = 0;
  ++offset_;
  shared_line_ = false;
  return found;
}

/// Of a line that ends, its end or all of it.
std::optional<std::uint64_t> LineMatcher::take_line(std::string_view text) {
  if (line_.empty() && text.size() < 2 * window_) {  // a whole line: looked at where it stands
    const auto span = pattern_->find(text);
    const auto found = span ? std::optional(offset_ + span->end) : std::nullopt;
    offset_ += text.size() + 1;
    return found;
  }
  const auto found = append_to_line(text);
  return found ? found : end_line();
}

/// Takes lines and the start of one, in all of which there is no match.
void LineMatcher::pass(std::string_view text) {
  if (const std::size_t end = text.rfind('\n'); end != std::string_view::npos) {
    offset_ += end + 1;
    text.remove_prefix(end + 1);
    line_.clear();
    begin_ = 0;
  }
  line_ += text;
  offset_ += text.size();
}

std::optional<std::uint64_t> LineMatcher::append_lines(std::string_view text, const Hints& hints) {
  for (bool first = true; !text.empty(); first = false) {
    if (!first && hints.verdicts.rest == Verdict::none) {
      pass(text);
      return std::nullopt;
    }
    const std::size_t end = text.find('\n');
    const bool none = first && shared_line_ && hints.verdicts.first == Verdict::none;
    if (end == std::string_view::npos) {
      if (none) {
        pass(text);
        return std::nullopt;
      }
      return append_to_line(text);
    }
    if (none) {
      pass(text.substr(0, end + 1));
    } else if (const auto found = take_line(text.substr(0, end))) {
      return found;
    }
    shared_line_ = true;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> LineMatcher::peek(std::string_view text, Verdict verdict) {
  if (shared_line_ && verdict == Verdict::none) {
    return std::nullopt;
  }
  const std::size_t kept = line_.size();
  line_ += text;
  offset_ += text.size();
  const auto found = find();
  line_.resize(kept);
  offset_ -= text.size();
  return found;
}

std::optional<std::size_t> LineMatcher::find_in(std::string_view line, std::size_t begin) const {
  const auto span = pattern_->find(line, begin);
  return span ? std::optional(span->end) : std::nullopt;
}

}  // namespace troupe::terminal
