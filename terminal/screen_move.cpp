// SPDX-License-Identifier: MIT
// The cursor: motions, tabs, margins, saved cursors.
#include <algorithm>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {

// Every motion ends a pending wrap and leaves the cursor on the screen, in origin mode inside the
// margins.
void ScreenImpl::restrict_cursor() {
  cursor.pending = false;
  std::uint32_t left = 0;
  std::uint32_t right = size.cols;
  std::uint32_t top = 0;
  std::uint32_t bottom = size.rows;
  if (modes.origin) {
    top = margins.top;
    bottom = margins.bottom;
    if (modes.left_right) {
      left = margins.left;
      right = margins.right;
    }
  }
  cursor.x = std::clamp(cursor.x, left, right - 1);
  cursor.y = std::clamp(cursor.y, top, bottom - 1);
}

void ScreenImpl::move_to(std::uint32_t x, std::uint32_t y) {
  cursor.x = x + (modes.origin && modes.left_right ? margins.left : 0);
  cursor.y = y + (modes.origin ? margins.top : 0);
  restrict_cursor();
}

void ScreenImpl::move_column(std::uint32_t x) {
  restrict_cursor();
  cursor.x = x + (modes.origin && modes.left_right ? margins.left : 0);
  restrict_cursor();
}

void ScreenImpl::move_row(std::uint32_t y) {
  cursor.y = y + (modes.origin ? margins.top : 0);
  restrict_cursor();
}

void ScreenImpl::move_by(std::int64_t dx, std::int64_t dy) {
  restrict_cursor();
  const auto moved = [](std::uint32_t from, std::int64_t by, std::uint32_t end) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(from + by, 0, end - 1));
  };
  std::uint32_t left = 0;
  std::uint32_t right = size.cols;
  if (modes.left_right && cursor.x >= margins.left && cursor.x < margins.right) {
    left = margins.left;
    right = margins.right;
  }
  cursor.x = std::clamp(moved(cursor.x, dx, size.cols), left, right - 1);
  cursor.y = moved(cursor.y, dy, size.rows);
  restrict_cursor();
}

void ScreenImpl::cursor_up(std::uint32_t count) {
  const std::int64_t room = cursor.y >= margins.top ? cursor.y - margins.top : cursor.y;
  move_by(0, -std::min<std::int64_t>(count, room));
}

void ScreenImpl::cursor_down(std::uint32_t count) {
  const std::int64_t room = cursor.y < margins.bottom ? margins.bottom - 1 - cursor.y : size.rows;
  move_by(0, std::min<std::int64_t>(count, room));
}

void ScreenImpl::carriage_return() {
  const bool inside = modes.left_right && cursor.x >= margins.left;
  cursor.x = inside ? margins.left : 0;
  cursor.pending = false;
}

void ScreenImpl::backspace() {
  if (!modes.reverse_wrap) {
    restrict_cursor();
    const std::uint32_t left = modes.left_right && cursor.x >= margins.left ? margins.left : 0;
    cursor.x -= cursor.x > left ? 1 : 0;
    return;
  }
  if (cursor.pending) {
    cursor.pending = false;  // it stands behind the last column
    return restrict_cursor();
  }
  Row& row = grid().row(cursor.y);
  if (cursor.x > 0) {
    --cursor.x;
  } else if (cursor.y > margins.top && cursor.y < margins.bottom && row.continues) {
    row.continues = false;
    --cursor.y;
    cursor.x = size.cols - 1;
    if (grid().row(cursor.y).at(cursor.x).unwritten()) {
      --cursor.x;
    }
  }
  restrict_cursor();
}

void ScreenImpl::tab(std::uint32_t count) {
  if (cursor.pending) {
    return;
  }
  const std::uint32_t limit = right_limit();
  for (; count > 0 && cursor.x + 1 < limit; --count) {
    ++cursor.x;
    while (cursor.x + 1 < limit && !tabs[cursor.x]) {
      ++cursor.x;
    }
  }
}

void ScreenImpl::back_tab(std::uint32_t count) {
  // A pending wrap stays, as xterm has it, where the cursor does not leave the last column.
  const bool pending = cursor.pending;
  const ScreenCursor before = cursor;
  const std::uint32_t left = modes.origin && modes.left_right ? margins.left : 0;
  for (; count > 0 && cursor.x > left; --count) {
    --cursor.x;
    while (cursor.x > left && !tabs[cursor.x]) {
      --cursor.x;
    }
  }
  cursor.pending = pending && cursor.x == before.x;
}

void ScreenImpl::default_tabs() {
  tabs.assign(size.cols, false);
  for (std::size_t x = 0; x < tabs.size(); x += 8) {
    tabs[x] = true;
  }
}

// After a resize there is a stop every eight columns from the last stop on, as xterm.js has it,
// also in that the stop may be the first one that is cut off.
void ScreenImpl::extend_tabs() {
  const bool cut_at_stop = size.cols < tabs.size() && tabs[size.cols];
  tabs.resize(size.cols, false);
  if (cut_at_stop) {
    return;
  }
  std::size_t x = tabs.size();
  do {
    --x;
  } while (x > 0 && !tabs[x]);
  for (; x < tabs.size(); x += 8) {
    tabs[x] = true;
  }
}

void ScreenImpl::line_feed() {
  if (modes.newline) {
    carriage_return();
  }
  cursor.pending = false;
  if (cursor.y + 1 == margins.bottom) {
    index();
  } else if (cursor.y + 1 < size.rows) {
    ++cursor.y;
    grid().row(cursor.y).continues = false;
  }
  if (watch_lines && !alternate_active) {
    finish_line();
  }
}

// Tells of the row that a line feed left, or puts that off while what follows cannot change it.
void ScreenImpl::finish_line() {
  // Far less than the history holds: no row is dropped before it is told of.
  constexpr std::uint64_t max_untold_cells = 64U * 1024;
  const Sequence live = names[cursor.y].seq;
  const bool fresh = cursor.y > 0 && names[cursor.y - 1].seq >= reached;
  const bool scrolls_all = margins.top == 0 && margins.bottom == size.rows && full_sides();
  first_untold = untold ? first_untold : names[cursor.y > 0 ? cursor.y - 1 : 0].seq;
  untold = true;
  finished_end = live;
  reached = std::max(reached, live);
  const std::uint64_t rows = live - first_untold;
  if (!fresh || !scrolls_all || rows >= ScreenEvents::max_lines_at_once ||
      rows * size.cols >= max_untold_cells ||
      limits.history_rows < 4 * ScreenEvents::max_lines_at_once) {
    tell_lines();
  }
}

void ScreenImpl::tell_lines() {
  if (untold) {
    untold = false;
    events->line_finished();
  }
}

void ScreenImpl::index() {
  restrict_cursor();
  if (cursor.y + 1 == margins.bottom) {
    const bool inside = !modes.left_right || (cursor.x >= margins.left && cursor.x < margins.right);
    if (full_sides() && route == EditRoute::direct) {
      scroll_region(margins.top, margins.bottom, 1);
    } else if (inside) {
      edit(Edit::index, 1);
    }
  } else if (cursor.y + 1 < size.rows) {
    ++cursor.y;
  }
}

void ScreenImpl::reverse_index() {
  restrict_cursor();
  if (cursor.y == margins.top) {
    const bool inside = !modes.left_right || (cursor.x >= margins.left && cursor.x < margins.right);
    if (full_sides() && route == EditRoute::direct) {
      grid().scroll_down(margins.top, margins.bottom, 1, fill());
    } else if (inside) {
      edit(Edit::reverse_index, 1);
    }
  } else if (cursor.y > 0) {
    --cursor.y;
    restrict_cursor();
  }
}

void ScreenImpl::save_cursor() {
  saved() = {cursor, modes.origin, true, pen.look, charsets};
  saved().charsets.single_shift = 0;
  saved().cursor.pending = cursor.pending && cursor.x + 1 == size.cols;
}

void ScreenImpl::restore_cursor() {
  const SavedCursor& from = saved();
  cursor = from.cursor;
  modes.origin = from.origin;
  pen.look = from.look;
  if (from.set) {
    pen.extra = extras.get(from.look.extra);
  } else {
    update_pen_extra();  // what is no SGR flag stays: the hyperlink, and as xterm.js has it its kin
  }
  charsets = from.charsets;
  const bool pending = cursor.pending;
  restrict_cursor();
  cursor.pending = pending && cursor.x == size.cols - 1U;
}

void ScreenImpl::set_margins(const Parameters& p) {
  const std::uint32_t top = p.or_else(0, 1);
  std::uint32_t bottom = p.or_else(1, size.rows);
  bottom = std::min<std::uint32_t>(bottom, size.rows);
  if (top < bottom) {
    margins.top = top - 1;
    margins.bottom = bottom;
    move_to(0, 0);
  }
}

void ScreenImpl::set_side_margins(const Parameters& p) {
  const std::uint32_t left = p.or_else(0, 1);
  const std::uint32_t right = std::min<std::uint32_t>(p.or_else(1, size.cols), size.cols);
  if (left < right) {
    margins.left = left - 1;
    margins.right = right;
    move_to(0, 0);
  }
}

void ScreenImpl::reset_margins() {
  margins = {0, size.rows, 0, size.cols};
}

}  // namespace troupe::terminal
