// SPDX-License-Identifier: MIT
#include "terminal/search.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "terminal/pattern.hpp"

namespace troupe::terminal {
namespace {

constexpr std::size_t window_bytes = 64U * 1024;
constexpr std::size_t match_overhead_bytes = 160;  // two cursors as JSON

/// Where a byte of the text at hand stands on the screen.
struct Segment {
  std::size_t begin;  // in the text
  std::size_t size;
  Sequence seq;
  std::size_t skipped;  // bytes of the row before the segment
  std::uint32_t col;
};

class Searcher {
 public:
  Searcher(const RowSource& rows, const TextReader& reader, Pattern pattern, std::size_t limit)
      : rows_(rows), pattern_(std::move(pattern)), limit_(limit), max_bytes_(reader.limit(0)) {}

  SearchSlice run(const Anchor& from) {
    slice_.evicted = from.evicted;
    next_ = line_ = matched_ = from.at;
    const Sequence live = rows_.cursor().seq;
    read_context(from.at);
    Cursor at = from.at;
    auto seq = rows_.row_at_or_after(at.seq);
    while (seq && !done_) {
      const std::uint32_t col = *seq == at.seq ? at.col : 0;
      const RowText row = rows_.row(*seq, col);
      add_row(row, col);
      unfinished_ = *seq == live ? line_ : unfinished_;
      seq = rows_.row_at_or_after(*seq + 1);
      const bool line_ends = !row.wrapped || !seq;
      if (line_ends || text_.size() - begin_ >= 2 * window_bytes) {
        search_text(line_ends);
      }
      if (line_ends && !done_) {
        start_line(seq);
      }
    }
    slice_.next = next_;
    return std::move(slice_);
  }

 private:
  /// The part of the first line before the place where matches may begin.
  void read_context(const Cursor& from) {
    std::vector<std::string> parts;
    std::size_t size = 0;
    if (from.col > 0 && rows_.row_at_or_after(from.seq) == from.seq) {
      parts.push_back(rows_.row_cells(from.seq, 0, from.col).text);
    }
    auto seq = rows_.row_before(from.seq);
    while (seq && size < window_bytes) {
      RowText row = rows_.row(*seq);
      if (!row.wrapped) {
        break;
      }
      size += row.text.size();
      parts.push_back(std::move(row.text));
      seq = rows_.row_before(*seq);
    }
    std::for_each(parts.rbegin(), parts.rend(), [&](const std::string& part) { text_ += part; });
    begin_ = text_.size();
  }

  void add_row(const RowText& row, std::uint32_t col) {
    segments_.push_back(
        {text_.size(), row.text.size(), row.seq, bytes_before(rows_, row.seq, col), col});
    text_ += row.text;
    looked_at_ += row.text.size();
  }

  void start_line(std::optional<Sequence> next) {
    text_.clear();
    segments_.clear();
    begin_ = 0;
    if (!next) {
      next_ = end_of_search();
      return;
    }
    next_ = line_ = {*next, 0, rows_.epoch()};
    if (looked_at_ >= max_search_bytes) {
      stop();
    }
  }

  /// What comes next is printed where the cursor is and may end a match that its line has begun:
  /// the start of that line, unless a match behind it was told already.
  [[nodiscard]] Cursor end_of_search() const {
    return std::max(unfinished_.value_or(matched_), matched_, [](auto& a, auto& b) {
      return std::pair(a.seq, a.col) < std::pair(b.seq, b.col);
    });
  }

  void stop() {
    slice_.truncated = true;
    done_ = true;
  }

  void search_text(bool line_ends) {
    while (!done_) {
      const auto span = pattern_.find(text_, begin_);
      if (!span) {
        break;
      }
      if (span->begin == span->end) {
        // An empty match is none; the next one begins a character on.
        if (span->end >= text_.size()) {
          break;
        }
        begin_ =
            span->end + std::max<std::size_t>(
                            1, utf8_character_length(std::string_view(text_).substr(span->end)));
        continue;
      }
      if (!line_ends && span->end == text_.size() && span->begin > begin_) {
        break;  // it may go on in what was not read yet
      }
      take(*span);
      begin_ = span->end;
    }
    if (!line_ends && !done_) {
      keep_window();
      if (looked_at_ >= max_search_bytes) {
        next_ = place(begin_, false);
        stop();
      }
    }
  }

  /// Drops what no match can begin in any more, but for a little context.
  void keep_window() {
    std::size_t cut = std::max(begin_, text_.size() - std::min(text_.size(), window_bytes));
    cut = cut_utf8(text_, cut).size();
    const std::size_t context =
        cut_utf8(std::string_view(text_).substr(0, cut), cut - std::min<std::size_t>(cut, 4))
            .size();
    const auto first = std::find_if(segments_.begin(), segments_.end(),
                                    [&](const Segment& s) { return s.begin > context; });
    segments_.erase(segments_.begin(), std::max(first, segments_.begin() + 1) - 1);
    for (Segment& segment : segments_) {
      const std::size_t lost = segment.begin < context ? context - segment.begin : 0;
      segment.begin = segment.begin < context ? 0 : segment.begin - context;
      segment.skipped += lost;
      segment.size -= std::min(lost, segment.size);
    }
    text_.erase(0, context);
    begin_ = std::max(begin_, cut) - context;
  }

  void take(const ByteSpan& span) {
    SearchMatch match;
    match.start = place(span.begin, true);
    match.end = place(span.end, false);
    match.line = excerpt(span);
    const std::size_t size = json_string_size(match.line) + match_overhead_bytes;
    if (slice_.matches.size() >= limit_ || (size_ + size > max_bytes_ && !slice_.matches.empty())) {
      stop();
      return;
    }
    size_ += size;
    next_ = matched_ = match.end;
    slice_.matches.push_back(std::move(match));
  }

  /// The place of byte `at`. A start belongs to the row that it begins, an end to the row that it
  /// fills.
  [[nodiscard]] Cursor place(std::size_t at, bool start) const {
    auto found = std::find_if(segments_.rbegin(), segments_.rend(), [&](const Segment& s) {
      return start ? s.begin <= at && s.size > 0 : s.begin < at;
    });
    if (found == segments_.rend()) {
      found = segments_.rend() - 1;
    }
    const std::size_t byte = found->skipped + (at - std::min(at, found->begin));
    return {found->seq, std::max(found->col, rows_.column_of_byte(found->seq, byte)),
            rows_.epoch()};
  }

  [[nodiscard]] std::string excerpt(const ByteSpan& span) const {
    if (text_.size() <= max_match_line_bytes) {
      return text_;
    }
    const std::size_t matched = std::min(span.end - span.begin, max_match_line_bytes);
    const std::size_t before = std::min(span.begin, (max_match_line_bytes - matched) / 2);
    const std::size_t begin = cut_utf8(text_, span.begin - before).size();
    return std::string(cut_utf8(std::string_view(text_).substr(begin), max_match_line_bytes));
  }

  const RowSource& rows_;
  Pattern pattern_;
  std::size_t limit_;
  std::size_t max_bytes_;
  SearchSlice slice_;
  Cursor next_;
  Cursor line_;                       // where the present line begins
  Cursor matched_;                    // the end of the last match
  std::optional<Cursor> unfinished_;  // where the cursor's line begins
  std::string text_;                  // the present line or a window of it
  std::size_t begin_ = 0;             // matches begin here or later
  std::vector<Segment> segments_;
  std::size_t looked_at_ = 0;
  std::size_t size_ = 0;
  bool done_ = false;
};

}  // namespace

Result<SearchSlice> search(const RowSource& rows, const TextReader& reader,
                           const SearchSpec& spec) {
  auto from = reader.resolve(spec.cursor.value_or(CursorOldest{}));
  if (!from) {
    return from.error();
  }
  auto pattern = Pattern::compile(spec.pattern, spec.regex ? Syntax::regex : Syntax::literal,
                                  spec.ignore_case ? Case::ignored : Case::sensitive);
  if (!pattern) {
    return pattern.error();
  }
  const std::size_t limit = spec.limit == 0 ? default_search_matches : spec.limit;
  Searcher searcher(rows, reader, std::move(pattern).value(), std::min(limit, max_search_matches));
  return searcher.run(*from);
}

}  // namespace troupe::terminal
