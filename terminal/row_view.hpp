// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One row to read, wherever it is kept: on a grid or inside a line of history.

#include <string>
#include <string_view>

#include "terminal/history.hpp"
#include "terminal/utf8.hpp"

namespace troupe::terminal {

/// Borrows the row (and table) it was made of until these are changed.
class RowView {
 public:
  RowView(const Row& row, const ClusterTable& clusters) : row_(&row), clusters_(&clusters) {}
  RowView(const Line& line, RowStart start, std::uint32_t cols)
      : line_(&line), start_(start), cols_(cols) {}

  /// Calls `visit(x, text, width, look)` for each cell from the first one on; `text` is empty where
  /// nothing was written. Ends behind the last cell that is kept, or where `visit` returns false.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    if (row_ != nullptr) {
      for_each_of_grid(visit);
    } else {
      for_each_of_line(visit);
    }
  }

 private:
  template <typename Visit>
  void for_each_of_grid(Visit& visit) const {
    std::string buffer;
    for (std::uint32_t x = 0; x < row_->used; ++x) {
      const Cell& cell = row_->cells[x];
      const unsigned width = cell.is_wide() ? 2 : 1;
      std::string_view text;
      if (cell.is_cluster()) {
        text = clusters_->text(cell.value());
      } else if (!cell.unwritten() && !cell.is_tail()) {
        buffer.clear();
        append_utf8(buffer, cell.value());
        text = buffer;
      }
      if (!visit(x, text, width, cell.attributes)) {
        return;
      }
      x += width - 1;
    }
  }

  template <typename Visit>
  void for_each_of_line(Visit& visit) const {
    StyleReader styles{*line_, start_.cell};
    std::uint32_t x = 0;
    for (std::size_t byte = start_.byte; byte < line_->text.size();) {
      const LineCell cell = read_cell(line_->text, byte);
      if (x + cell.width > cols_ || !visit(x, cell.text, cell.width, styles.take(cell.width))) {
        return;
      }
      x += cell.width;
    }
  }

  const Row* row_ = nullptr;
  const ClusterTable* clusters_ = nullptr;
  const Line* line_ = nullptr;
  RowStart start_;
  std::uint32_t cols_ = 0;
};

}  // namespace troupe::terminal
