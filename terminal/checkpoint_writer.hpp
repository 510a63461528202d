// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Writes rows of cells as VT bytes that print them again, cell by cell, soft wraps included.

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "terminal/cell.hpp"
#include "terminal/history.hpp"
#include "terminal/row_view.hpp"
#include "terminal/tables.hpp"

namespace troupe::terminal {

enum class Looks : std::uint8_t { keep, drop };

/// Threads: that of its owner. Ownership: borrows the tables.
/// Invariants: a soft wrap is made by printing past the last column, so the reader's row continues
/// the one above; no C1 control and no query is ever written; every row ends in the default look,
/// so that a scroll fills with nothing.
class CheckpointWriter {
 public:
  CheckpointWriter(std::uint32_t cols, std::uint32_t rows, const ClusterTable& clusters,
                   const ExtraTable& extras, Looks looks)
      : cols_(cols), rows_(rows), clusters_(clusters), extras_(extras), looks_(looks) {}

  void raw(std::string_view bytes) { out_ += bytes; }
  /// To the first row of an empty screen: the rows that follow are painted from here.
  void home();
  /// The next row. `continues`: it continues the one before.
  void row(const RowView& view, bool continues);
  /// All rows of a line of history, from row `first` on.
  void line(const History& history, std::size_t index, std::uint32_t first);
  /// Ends the last row.
  void end_rows();
  /// Switches to this look, hyperlink and protection included.
  void look(const Attributes& look);
  /// Prints one cell where the cursor is.
  void cell(const Cell& cell);
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void hard_break();
  [[nodiscard]] bool is_simple(const Line& line) const;
  void simple_line(const Line& line);
  void soft_break(bool wide, std::string_view text, const Attributes& look);
  void put(std::uint32_t x, std::string_view text, unsigned width, const Attributes& look);
  void print(std::string_view text, unsigned width);
  void print_cluster(std::string_view text);
  void print_widened(std::string_view text, std::size_t marks);
  void print_narrowed(std::string_view text);
  void take_back(std::uint32_t x, std::uint32_t width);
  void skip_gap();
  void flush_erase();
  void switch_link(const Extra& old, const Extra& extra);
  void begin_continued(bool wide);
  void pay_last_column();
  void control(std::uint32_t number, char final);

  std::string out_;
  std::uint32_t cols_;
  std::uint32_t rows_;
  const ClusterTable& clusters_;
  const ExtraTable& extras_;
  Looks looks_;
  Attributes look_;
  std::array<std::pair<Attributes, std::string>, 32> sequences_;  ///< of the looks used last
  bool any_row_ = false;
  std::uint32_t column_ = 0;  ///< where the cursor is; cols: a wrap is pending
  std::uint32_t gap_ = 0;     ///< blank cells not yet skipped
  std::uint32_t erase_ = 0;   ///< blanks with a background behind the gap
  Color erase_background_ = 0;
  bool last_blank_ = true;  ///< the row's last column was not written
  Attributes last_look_;    ///< of the row's last column
  bool owed_ = false;       ///< the last column is blank, but shows more than a background
};

}  // namespace troupe::terminal
