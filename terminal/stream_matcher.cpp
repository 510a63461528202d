// SPDX-License-Identifier: MIT
#include "terminal/stream_matcher.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace troupe::terminal {

// -- NeedleMatcher -------------------------------------------------------------------------------

NeedleMatcher::NeedleMatcher(std::string needle)
    : needle_(std::move(needle)), fallback_(needle_.size()) {
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

std::optional<std::uint64_t> NeedleMatcher::advance(State& state, std::string_view text) const {
  std::size_t at = 0;
  while (at < text.size()) {
    if (state.matched == 0) {
      const void* found = std::memchr(text.data() + at, needle_[0], text.size() - at);
      if (found == nullptr) {
        break;
      }
      at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    }
    while (state.matched > 0 && text[at] != needle_[state.matched]) {
      state.matched = fallback_[state.matched - 1];
    }
    state.matched += text[at] == needle_[state.matched] ? 1U : 0U;
    ++at;
    if (state.matched == needle_.size()) {
      state.matched = 0;
      return state.offset + at;
    }
  }
  state.offset += text.size();
  return std::nullopt;
}

std::optional<std::uint64_t> NeedleMatcher::append(std::string_view text) {
  return advance(state_, text);
}

std::optional<std::uint64_t> NeedleMatcher::peek(std::string_view text) {
  State state = state_;
  return advance(state, text);
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
  return found;
}

std::optional<std::uint64_t> LineMatcher::peek(std::string_view text) {
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
