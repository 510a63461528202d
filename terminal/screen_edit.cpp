// SPDX-License-Identifier: MIT
// Editing: erasing, inserting, deleting, scrolling, and what of it reaches the history.
#include <algorithm>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {

// Runs an editing function through libvterm, which answers with rectangles.
void ScreenImpl::edit(Edit what, std::uint32_t argument) {
  Geometry geometry{size.cols, size.rows, margins};
  if (!modes.left_right) {
    geometry.margins.left = 0;
    geometry.margins.right = size.cols;
  }
  // Characters are edited on every row, not only between the top and bottom margins.
  if (what == Edit::insert_chars || what == Edit::delete_chars || what == Edit::erase_chars) {
    geometry.margins.top = 0;
    geometry.margins.bottom = size.rows;
  }
  current_edit = what;
  vterm.run(what, argument, geometry, {cursor.x, cursor.y}, *this);
  work += size.cols;
}

void ScreenImpl::erase_rectangle(const Rectangle& area, Erase what) {
  Grid& g = grid();
  for (std::uint32_t y = area.top; y < area.bottom; ++y) {
    g.erase(y, area.left, area.right, fill(), what);
  }
}

void ScreenImpl::scroll_rectangle(const Rectangle& area, int up, int left) {
  Grid& g = grid();
  const Attributes look = fill();
  if (left != 0) {
    const auto count = static_cast<std::uint32_t>(left < 0 ? -left : left);
    for (std::uint32_t y = area.top; y < area.bottom; ++y) {
      if (left < 0) {
        g.insert_cells(y, area.left, area.right, count, look);
      } else {
        g.delete_cells(y, area.left, area.right, count, look);
      }
      if (current_edit != Edit::insert_chars && current_edit != Edit::delete_chars) {
        g.row(y).continues = false;
      }
    }
    return;
  }
  const bool whole = area.left == 0 && area.right == size.cols;
  const auto count = static_cast<std::uint32_t>(up < 0 ? -up : up);
  if (!whole) {
    g.shift_rectangle(area, up, look);
  } else if (up < 0) {
    g.scroll_down(area.top, area.bottom, count, look);
  } else if (current_edit == Edit::delete_lines) {
    g.scroll_up(area.top, area.bottom, count, look);
  } else {
    scroll_region(area.top, area.bottom, count);
  }
}

// Rows that leave at the top of the primary screen go to the history.
void ScreenImpl::scroll_region(std::uint32_t top, std::uint32_t bottom, std::uint32_t count) {
  count = std::min(count, bottom - top);
  if (top == 0) {
    alternate_active ? keep_alternate_rows(count) : push_history(count);
  }
  grid().scroll_up(top, bottom, count, fill());
  work += size.cols;
}

void ScreenImpl::push_history(std::uint32_t count) {
  for (std::uint32_t y = 0; y < count; ++y) {
    history.push(primary.row(y), names.front(), size.cols, clusters);
    names.pop_front();
    names.push_back({next_seq++, next_id});
    next_id += 1U << 16U;
  }
}

void ScreenImpl::keep_alternate_rows(std::uint32_t count) {
  if (alternate_room == 0) {
    return;
  }
  for (std::uint32_t y = 0; y < count; ++y) {
    alternate_above.push_back(alternate->take_row(y));
  }
  while (alternate_above.size() > alternate_room) {
    alternate_above.pop_front();
  }
}

// No number may name two texts: what is printed over an erased screen gets new ones.
void ScreenImpl::rename_rows() {
  for (auto& name : names) {
    name = {next_seq++, next_id};
    next_id += 1U << 16U;
  }
}

bool ScreenImpl::blank_screen(const Grid& g) const {
  for (std::uint32_t y = 0; y < g.rows(); ++y) {
    if (g.row(y).content_length() > 0) {
      return false;
    }
  }
  return true;
}

void ScreenImpl::edit_chars(Edit what, std::uint32_t count) {
  restrict_cursor();
  const std::uint32_t limit = right_limit();
  if (what != Edit::erase_chars && modes.left_right &&
      (cursor.x < margins.left || cursor.x >= margins.right)) {
    return;
  }
  if (route == EditRoute::direct && what == Edit::erase_chars) {
    grid().erase(cursor.y, cursor.x, std::min<std::uint32_t>(cursor.x + count, size.cols), fill());
    return;
  }
  edit(what, std::min(count, what == Edit::erase_chars ? size.cols : limit));
}

void ScreenImpl::edit_lines(Edit what, std::uint32_t count) {
  const bool lines = what == Edit::insert_lines || what == Edit::delete_lines;
  const bool scrolls = what == Edit::scroll_up || what == Edit::scroll_down;
  const bool inside =
      cursor.y >= margins.top && cursor.y < margins.bottom &&
      (!modes.left_right || !lines || (cursor.x >= margins.left && cursor.x < margins.right));
  if (!inside && !scrolls) {
    return;
  }
  edit(what, std::min<std::uint32_t>(count, std::max<std::uint32_t>(size.cols, size.rows)));
  if (lines) {
    cursor.x = modes.left_right ? margins.left : 0;
    cursor.pending = false;
  }
}

void ScreenImpl::erase_in_line(std::uint32_t mode, Erase what) {
  restrict_cursor();
  if (mode > 2) {
    return;
  }
  Grid& g = grid();
  if (route == EditRoute::direct && what == Erase::all) {
    const std::uint32_t left = mode == 0 ? cursor.x : 0;
    const std::uint32_t right = mode == 1 ? cursor.x + 1 : size.cols;
    g.erase(cursor.y, left, right, fill());
  } else {
    edit(what == Erase::all ? Edit::erase_line : Edit::erase_line_unprotected, mode);
  }
  if (mode == 2 || (mode == 0 && cursor.x == 0)) {
    g.row(cursor.y).continues = false;
  }
}

void ScreenImpl::erase_in_display(std::uint32_t mode, Erase what) {
  restrict_cursor();
  if (mode == 3) {
    return erase_history();
  }
  if (mode > 2) {
    return;
  }
  Grid& g = grid();
  const bool all = mode == 2 || (mode == 0 && cursor.x == 0 && cursor.y == 0);
  const bool rename = all && what == Erase::all && !alternate_active && !blank_screen(g);
  const std::uint32_t first = mode == 0 ? cursor.y + 1 : 0;
  const std::uint32_t last = mode == 1 ? cursor.y : size.rows;
  if (route == EditRoute::direct && what == Erase::all) {
    if (mode != 2) {
      g.erase(cursor.y, mode == 0 ? cursor.x : 0, mode == 0 ? size.cols : cursor.x + 1, fill());
    }
    erase_rectangle({first, last, 0, size.cols}, what);
  } else {
    edit(what == Erase::all ? Edit::erase_display : Edit::erase_display_unprotected, mode);
  }
  for (std::uint32_t y = first; y < last; ++y) {
    g.row(y).continues = false;
    g.row(y).cut.reset();
  }
  if (mode == 1 || cursor.x == 0) {
    g.row(cursor.y).continues = false;
  }
  // A row erased to its end is continued by none; xterm.js sees that only until something scrolled.
  const bool scrolled = !alternate_active && !history.empty();
  if (mode == 1 && !scrolled && cursor.x + 1 == size.cols && cursor.y + 1 < size.rows) {
    g.row(cursor.y + 1).continues = false;
  }
  if (rename) {
    rename_rows();
  }
}

void ScreenImpl::erase_history() {
  if (alternate_active) {
    alternate_above.clear();
  } else {
    history.clear();
  }
}

void ScreenImpl::alignment_test() {
  reset_margins();
  modes.origin = false;
  cursor = {};
  Grid& g = grid();
  const Cell cell{'E', {pen.look.foreground, pen.look.background, 0, 0}};
  if (!alternate_active && !blank_screen(g)) {
    rename_rows();
  }
  for (std::uint32_t y = 0; y < size.rows; ++y) {
    Cell* cells = g.writable(y, size.cols);
    std::fill(cells, cells + size.cols, cell);
    g.row(y).continues = false;
  }
  work += static_cast<std::uint64_t>(size.cols) * size.rows;
}

}  // namespace troupe::terminal
