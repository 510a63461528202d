// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// libvterm's state layer as the engine of the editing functions. It is the only place that knows
/// libvterm, and libvterm sees nothing but the short canonical sequences that are built here: no
/// text, no raw output. It tells which rectangles to scroll and to erase; the grid is ours.

#include <cstdint>
#include <memory>

#include "terminal/grid.hpp"

namespace troupe::terminal {

/// What is run through libvterm.
enum class Edit : std::uint8_t {
  insert_chars,
  delete_chars,
  erase_chars,
  insert_lines,
  delete_lines,
  scroll_up,
  scroll_down,
  scroll_left,
  scroll_right,
  insert_columns,
  delete_columns,
  erase_line,
  erase_display,
  erase_line_unprotected,
  erase_display_unprotected,
  index,
  reverse_index,
};

struct Position {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  bool operator==(const Position&) const = default;
};

/// Size and margins; ends are exclusive.
struct Geometry {
  std::uint32_t cols = 0;
  std::uint32_t rows = 0;
  Rectangle margins;
  bool operator==(const Geometry& o) const {
    return cols == o.cols && rows == o.rows && margins.top == o.margins.top &&
           margins.bottom == o.margins.bottom && margins.left == o.margins.left &&
           margins.right == o.margins.right;
  }
};

/// Receives what an edit does to the cells.
class EditTarget {
 public:
  virtual ~EditTarget() = default;
  virtual void erase_rectangle(const Rectangle& area, Erase what) = 0;
  /// Contents move up and left; negative: down and right.
  virtual void scroll_rectangle(const Rectangle& area, int up, int left) = 0;
};

/// Threads: that of its owner. Ownership: the VTerm object, made at the first edit.
/// Bounds: one sequence of at most two arguments a call; a new size makes a new VTerm, because
/// libvterm's own resize keeps margins and saved cursors that no longer fit.
class VtermAdapter {
 public:
  VtermAdapter();
  VtermAdapter(VtermAdapter&&) noexcept;
  VtermAdapter& operator=(VtermAdapter&&) noexcept;
  ~VtermAdapter();

  /// Performs `edit` with the cursor at `cursor`; returns where the cursor is afterwards.
  Position run(Edit edit, std::uint32_t argument, const Geometry& geometry, Position cursor,
               EditTarget& target);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe::terminal
