// SPDX-License-Identifier: MIT
// What cells name in the tables of clusters and looks, and what is swept out of them.
#include "terminal/screen_impl.hpp"

namespace troupe::terminal {

// The cells of both screens, also those that are kept and not shown.
template <typename Visit>
void ScreenImpl::for_each_grid_cell(Visit&& visit) const {
  const auto visit_grid = [&visit](const Grid& g) {
    for (std::uint32_t y = 0; y < g.rows(); ++y) {
      g.row(y).for_each_cell(visit);
    }
  };
  visit_grid(primary);
  if (alternate) {
    visit_grid(*alternate);
  }
  for (const Row& row : alternate_above) {
    row.for_each_cell(visit);
  }
}

void ScreenImpl::sweep_clusters() {
  std::vector<bool> used(clusters.size());
  for_each_grid_cell([&used](const Cell& cell) {
    if (cell.is_cluster()) {
      used[cell.value()] = true;
    }
  });
  clusters.sweep(used);
  work += static_cast<std::uint64_t>(size.cols) * size.rows;
}

void ScreenImpl::sweep_extras() {
  std::vector<bool> used(ExtraTable::max_extras + 1);
  const auto mark = [&](const Attributes& look) { used[look.extra] = true; };
  for_each_grid_cell([&mark](const Cell& cell) { mark(cell.attributes); });
  for (std::size_t i = 0; i < history.line_count(); ++i) {
    if (const auto* runs = history.line(i).runs.get()) {
      for (const StyleRun& run : *runs) {
        mark(run.attributes);
      }
    }
  }
  mark(pen.look);
  mark(saved_cursors[0].look);
  mark(saved_cursors[1].look);
  extras.sweep(used);
}

// A sweep reads all of the history, so a program that really uses more entries than there are does
// not get one for each new colour.
std::uint16_t ScreenImpl::intern_extra(const Extra& extra) {
  const std::uint16_t id = extras.intern(extra);
  if (id != 0 || extra == Extra{} || !extras.full()) {
    return id;
  }
  if (extras_rest > 0) {
    --extras_rest;
    return 0;
  }
  sweep_extras();
  extras_rest = ExtraTable::max_extras;
  work += history.rows() + static_cast<std::uint64_t>(size.cols) * size.rows;
  return extras.intern(extra);
}

void ScreenImpl::update_pen_extra() {
  pen.look.extra = intern_extra(pen.extra);
  const bool linked = pen.look.extra != 0 && !pen.extra.link.empty();
  const auto flags = pen.look.flags & ~unsigned{attribute::linked};
  pen.look.flags = static_cast<std::uint16_t>(flags | (linked ? attribute::linked : 0U));
}

}  // namespace troupe::terminal
