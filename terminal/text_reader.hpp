// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Bounded reads of a terminal's text between two places, and what cursors in requests mean.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/cursor.hpp"
#include "base/result.hpp"
#include "terminal/requests.hpp"
#include "terminal/row_source.hpp"

namespace troupe::terminal {

/// A place that outlives width changes: the cursor it was read as, which is exact for as long as
/// its epoch lasts, and the lasting name that finds its text again afterwards.
struct Place {
  Cursor cursor;
  std::optional<LinePosition> line;
};

Place make_place(const RowSource& rows, const Cursor& cursor);

/// Bytes of row `seq`'s text before column `col`.
std::size_t bytes_before(const RowSource& rows, Sequence seq, std::uint32_t col);

/// A place in the present epoch. `evicted`: the row that was named is gone (dropped from history
/// or erased), and `at` is the next text that is there. `future`: the row has not been yet, and
/// `at` is the present cursor.
struct Anchor {
  Cursor at;
  bool evicted = false;
  bool future = false;
};

/// JSON bytes of text that fit one frame beside the rest of a reply.
inline constexpr std::size_t max_reply_json_bytes = 7U * 1024 * 1024;

/// Reads of the primary screen and its history.
///
/// Threads: that of the terminal value. Borrows the rows.
/// Bounds: a reply holds at most min(asked, `output_max`) bytes but always its first row, and never
/// more than `max_reply_json_bytes` as JSON.
/// Order: pages concatenate: a page cut at a hard break ends with that newline, one cut at a soft
/// wrap does not, and the next page begins where it ended.
class TextReader {
 public:
  TextReader(const RowSource& rows, std::size_t output_max)
      : rows_(rows), output_max_(output_max) {}

  /// What a request's cursor names; `bad_request` for an epoch that has not been.
  [[nodiscard]] Result<Anchor> resolve(const CursorSpec& spec) const;
  [[nodiscard]] Anchor resolve(const Place& place) const;
  /// Where a place of ours is now. It stays what it was within its epoch, also where its row is
  /// gone (`evicted`); in a later epoch a lost place is the start of the first row after it.
  [[nodiscard]] Anchor present(const Place& place) const;

  /// Where the output of a record, as it was rendered just now, begins.
  [[nodiscard]] Anchor output_start(const CommandRecord& record) const;

  /// From `from` up to and with the cursor's row. `next` is the cursor, or `from` where the cursor
  /// moved back behind it.
  [[nodiscard]] TextSlice read_open(const Anchor& from, std::size_t max_bytes) const;
  /// From `from` up to `end`, which is exclusive.
  [[nodiscard]] TextSlice read_until(const Anchor& from, const Cursor& end,
                                     std::size_t max_bytes) const;
  /// Whole rows from `from` to before row `end`, without the last one's newline.
  [[nodiscard]] TextSlice read_rows(const Anchor& from, Sequence end, std::size_t max_bytes) const;

  [[nodiscard]] HistorySlice history(const std::optional<Anchor>& from,
                                     std::optional<std::size_t> rows, HistoryFormat format) const;

  /// The last row that holds text.
  [[nodiscard]] std::optional<Sequence> last_row() const;
  [[nodiscard]] std::size_t limit(std::size_t max_bytes) const;

 private:
  struct Stop;
  [[nodiscard]] TextSlice read(const Anchor& from, const Stop& stop, std::size_t max_bytes) const;
  [[nodiscard]] Anchor anchor_at(Cursor cursor) const;
  [[nodiscard]] Cursor first_row_after(std::uint64_t line) const;
  [[nodiscard]] Cursor nth_last_row(Sequence last, std::size_t count) const;

  const RowSource& rows_;
  std::size_t output_max_;
};

}  // namespace troupe::terminal
