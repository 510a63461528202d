// SPDX-License-Identifier: MIT
// Resizing. History and primary screen are one text: a change of height moves rows between them, a
// change of width wraps all logical lines anew. Where rows go follows xterm.js, so that a client
// and the daemon that are resized together keep agreeing.
#include <algorithm>
#include <iterator>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {
namespace {

constexpr std::size_t max_epochs = 16;
constexpr std::size_t max_epoch_runs = 32'768;

struct LineRows {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

// Which rows the screen shows after a reflow, counted as xterm.js does: lines from the last to the
// first, each added row first pushes the cursor down as long as nothing has scrolled.
struct Layout {
  std::size_t above = 0;  ///< rows above the screen
  std::uint32_t y = 0;
  std::size_t dropped = 0;  ///< rows lost at the bottom
};

Layout narrower(Layout layout, const std::vector<LineRows>& lines, std::uint32_t rows) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    for (std::uint32_t n = line->before; n < line->after; ++n) {
      if (layout.above == 0 && layout.y + 1 < rows) {
        ++layout.y;
        ++layout.dropped;
      } else {
        ++layout.above;
      }
    }
  }
  return layout;
}

Layout wider(Layout layout, const std::vector<LineRows>& lines) {
  for (const LineRows& line : lines) {
    for (std::uint32_t n = line.after; n < line.before; ++n) {
      if (layout.above > 0) {
        --layout.above;
      } else if (layout.y > 0) {
        --layout.y;
      }
    }
  }
  return layout;
}

}  // namespace

Size ScreenImpl::resize(Size wanted) {
  if (wanted == size) {
    return size;
  }
  // Rows that come back need room in the table, and a sweep sees only rows that are on a grid.
  if (clusters.size() > ClusterTable::max_clusters / 2) {
    sweep_clusters();
  }
  const Size old = size;
  const bool width = wanted.cols != old.cols;
  ScreenCursor& shown = alternate_active ? primary_cursor : cursor;
  const auto place_of = [&](const ScreenCursor& c) {
    return screen_position(std::min<std::uint32_t>(c.y, old.rows - 1U), c.pending ? old.cols : c.x);
  };
  const auto at_cursor = place_of(shown);
  const auto at_saved = place_of(saved_cursors[0].cursor);
  resize_alternate(wanted);
  std::uint32_t y = alternate_active ? hidden_y[0] : cursor.y;
  resize_primary_rows(wanted.rows, y);
  size = wanted;
  if (width) {
    remember_names(old.cols);
    reflow(old.cols, y);
    ++epoch;
    reached = 0;
  }
  extend_tabs();
  shown.y = y;
  place_cursor(shown, at_cursor, !alternate_active);
  place_cursor(saved_cursors[0].cursor, saved_cursors[0].set ? at_saved : std::nullopt, false);
  hidden_y[0] = y;
  order_names();
  history.trim();
  reset_margins();
  // A mark that follows still belongs to the character before the cursor.
  joinable = joinable && !roomless && (cursor.pending || cursor.x > 0);
  overran = false;
  if (joinable) {
    join = {cursor.pending ? cursor.x : cursor.x - 1, cursor.y};
    join.x -= join.x > 0 && grid().row(join.y).at(join.x).is_tail() ? 1U : 0U;
  }
  return size;
}

void ScreenImpl::resize_alternate(Size wanted) {
  if (!alternate) {
    tallest = std::max<std::uint32_t>(tallest, wanted.rows);
    return;
  }
  const Size old = size;
  std::uint32_t& y = alternate_active ? cursor.y : hidden_y[1];
  resize_alternate_rows(wanted.rows, y);
  if (wanted.cols != old.cols) {
    alternate->set_cols(wanted.cols);
  }
  // A wider screen has a column for the character that would have wrapped.
  const auto place = [&](ScreenCursor& c) {
    c.x += c.pending && wanted.cols > old.cols ? 1U : 0U;
    c.x = std::min<std::uint32_t>(c.x, wanted.cols - 1U);
    c.pending = c.pending && wanted.cols == old.cols;
  };
  if (alternate_active) {
    place(cursor);
  }
  ScreenCursor& kept = saved_cursors[1].cursor;
  place(kept);
  kept.y = std::min<std::uint32_t>(kept.y, wanted.rows - 1U);
}

// As the primary screen's, but what is above is kept in one case only: xterm.js has room there
// where the screen was made lower before this one was first shown, and gives it up at the next
// resize.
void ScreenImpl::resize_alternate_rows(std::uint32_t rows, std::uint32_t& y) {
  const std::uint32_t have = alternate->rows();
  y = std::min(y, have - 1);
  if (rows < have) {
    const std::uint32_t below = std::min(have - rows, have - 1 - y);
    alternate->drop_bottom(below);
    alternate->drop_top(have - rows - below);
    y = std::min(y, rows - 1);
  } else if (rows > have) {
    const auto above = static_cast<std::uint32_t>(alternate_above.size());
    const std::uint32_t back = y + 1 == have ? std::min(rows - have, above) : 0;
    const auto first = std::make_move_iterator(alternate_above.end() - back);
    alternate->add_top({first, std::make_move_iterator(alternate_above.end())});
    alternate->add_bottom(rows - have - back);
    y += back;
  }
  alternate_above.clear();
  alternate_room = 0;
}

// Height only, at the old width. Rows below the cursor go first; then rows above go to the history.
void ScreenImpl::resize_primary_rows(std::uint32_t rows, std::uint32_t& y) {
  std::uint32_t have = primary.rows();
  y = std::min(y, have - 1);
  if (rows < have) {
    const std::uint32_t below = std::min(have - rows, have - 1 - y);
    bool blank = true;
    for (std::uint32_t n = have - below; n < have; ++n) {
      blank = blank && primary.row(n).content_length() == 0;
    }
    if (blank && below > 0) {
      next_seq = names[have - below].seq;
    }
    primary.drop_bottom(below);
    names.resize(have - below);
    have -= below;
    const std::uint32_t pushed = have - rows;
    for (std::uint32_t n = 0; n < pushed; ++n) {
      history.push(primary.row(n), names[n], primary.cols(), clusters, History::Trim::no);
    }
    primary.drop_top(pushed);
    names.erase(names.begin(), names.begin() + pushed);
    y = std::min(y, rows - 1);
    return;
  }
  std::vector<Row> pulled;
  std::uint32_t blank = 0;
  while (have + blank < rows) {
    if (blank == 0 && have == y + 1 && !history.empty()) {
      pull_row(pulled);
      ++have;
      ++y;
    } else {
      ++blank;
    }
  }
  std::reverse(pulled.begin(), pulled.end());
  primary.add_top(std::move(pulled));
  primary.add_bottom(blank);
  for (; blank > 0; --blank) {
    names.push_back({next_seq++, next_id});
    next_id += 1U << 16U;
  }
}

// The newest row of the history comes back to the screen; `rows` is in reverse order.
void ScreenImpl::pull_row(std::vector<Row>& rows) {
  Row row;
  History::RowName name;
  if (history.pop(primary.cols(), clusters, row, name)) {
    rows.push_back(std::move(row));
    names.push_front(name);
  }
}

// Line ids grow down the screen. Rows that a narrower width adds take ids between two lines; where
// such a row has since become a line of its own and is wrapped again, there may be none left.
void ScreenImpl::order_names() {
  std::uint64_t floor = history.empty() ? 0 : history.line(history.line_count() - 1).id;
  for (auto& name : names) {
    name.id = std::max(name.id, floor + 1);
    floor = name.id;
  }
  next_id = std::max(next_id, floor + (1U << 16U));
}

void ScreenImpl::remember_names(std::uint32_t old_cols) {
  EpochNames old;
  old.epoch = epoch;
  old.cols = old_cols;
  old.end = names.back().seq + 1;
  const auto add = [&old](Sequence seq, std::uint64_t id) {
    if (!old.runs.empty()) {
      EpochNames::Run& last = old.runs.back();
      if (last.seq + last.count == seq && last.id + (std::uint64_t{last.count} << 16U) == id) {
        ++last.count;
        return;
      }
    }
    old.runs.push_back({seq, id, 1});
  };
  for (std::size_t i = 0; i < history.line_count(); ++i) {
    add(history.line(i).seq, history.line(i).id);
  }
  for (std::uint32_t y = 0; y < names.size(); ++y) {
    if (!primary.row(y).continues || (y == 0 && history.empty())) {
      add(names[y].seq, names[y].id);
    }
  }
  old_names.push_back(std::move(old));
  std::size_t runs = 0;
  for (const EpochNames& kept : old_names) {
    runs += kept.runs.size();
  }
  while (old_names.size() > max_epochs || (runs > max_epoch_runs && old_names.size() > 1)) {
    runs -= old_names.front().runs.size();
    old_names.pop_front();
  }
}

void ScreenImpl::reflow(std::uint32_t old_cols, std::uint32_t& y) {
  const std::uint32_t rows = primary.rows();
  Layout layout{history.rows(), y, 0};
  for (std::uint32_t n = 0; n < rows; ++n) {
    history.push(primary.row(n), names[n], old_cols, clusters, History::Trim::no);
  }
  names.clear();
  std::vector<LineRows> lines(history.line_count());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].before = history.line(i).rows - (i == 0 ? history.skipped() : 0);
  }
  next_seq = history.rewrap(old_cols, size.cols, history.oldest());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].after = history.line(i).rows;
  }
  layout = size.cols < old_cols ? narrower(layout, lines, rows) : wider(layout, lines);
  y = layout.y;
  // Rows come back from the end; of those that were there before, the last ones are dropped.
  std::vector<Row> shown;
  primary.assign(size.cols, {});
  std::size_t dropped = layout.dropped;
  while (shown.size() < rows && !history.empty()) {
    const Line& last = history.line(history.line_count() - 1);
    const bool original = last.rows <= lines[history.line_count() - 1].before;
    pull_row(shown);
    if (dropped > 0 && original) {
      --dropped;
      shown.pop_back();
      names.pop_front();
    }
  }
  std::reverse(shown.begin(), shown.end());
  while (shown.size() < rows) {
    shown.emplace_back();
    names.push_back({next_seq++, next_id});
    next_id += 1U << 16U;
  }
  primary.assign(size.cols, std::move(shown));
  // Dropped rows leave no gaps: rows of one line are numbered one after the other.
  Sequence seq = history.empty() ? names.front().seq : history.newest() + 1;
  for (auto& name : names) {
    name.seq = seq++;
  }
  next_seq = seq;
}

// Puts a cursor on the cell it stood on. With `pull`, blank rows at the bottom make room for rows
// of the history where the cursor would be above the screen.
void ScreenImpl::place_cursor(ScreenCursor& c, const std::optional<LinePosition>& place,
                              bool pull) {
  c.pending = false;
  c.x = std::min<std::uint32_t>(c.x, size.cols - 1U);
  c.y = std::min<std::uint32_t>(c.y, size.rows - 1U);
  const auto at = place ? locate(*place) : std::nullopt;
  if (!at) {
    return;
  }
  while (pull && at->seq < names[0].seq && !history.empty() &&
         primary.row(size.rows - 1U).content_length() == 0) {
    std::vector<Row> row;
    next_seq = names.back().seq;
    names.pop_back();
    primary.drop_bottom(1);
    pull_row(row);
    primary.add_top(std::move(row));
  }
  c.y = screen_row(at->seq).value_or(0);
  c.pending = at->col >= size.cols;
  c.x = std::min<std::uint32_t>(at->col, size.cols - 1U);
}

}  // namespace troupe::terminal
