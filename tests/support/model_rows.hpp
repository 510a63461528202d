// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A terminal small enough to be seen to be right: rows, a cursor, history, wraps, the two screens,
/// and the events of a screen. Tests of journal, reads and waits run on it where the real screen
/// would only add distance between a failure and its cause.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "terminal/row_source.hpp"
#include "terminal/screen_events.hpp"

namespace troupe::test {

/// Understands printable UTF-8 (CJK ideographs are two cells), CR, LF, BS, CSI A B C D G H J K,
/// CSI ?1049 h/l, and OSC ended by BEL or ST (aborted by CAN and by other escapes).
class ModelRows final : public terminal::RowSource {
 public:
  ModelRows(std::uint16_t cols, std::uint16_t rows, std::size_t history = 10'000)
      : cols_(cols), height_(rows), history_(history) {
    for (std::uint16_t i = 0; i < rows; ++i) {
      add_row(next_seq_++);
    }
  }

  void feed(std::string_view bytes, StreamOffset offset, terminal::ScreenEvents& events) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      step(bytes[i], offset + i, events);
    }
  }
  void watch_lines(bool on) { watching_ = on; }

  void resize_height(std::uint16_t rows) {
    while (height_ < rows) {
      if (rows_.size() == height_) {
        add_row(next_seq_++);
      } else {
        ++y_;
      }
      ++height_;
    }
    while (height_ > rows) {
      if (y_ + 1U < height_ && blank(rows_.back())) {
        rows_.pop_back();
        --next_seq_;
      } else {
        --y_;
      }
      --height_;
    }
  }

  /// Rewraps every logical line.
  void resize_width(std::uint16_t cols) {
    const terminal::LinePosition at = *position(cursor());
    old_names_[epoch_] = names();
    std::vector<Row> lines;
    for (Row& row : rows_) {
      if (!lines.empty() && lines.back().wrapped) {
        std::move(row.cells.begin(), row.cells.end(), std::back_inserter(lines.back().cells));
        lines.back().wrapped = row.wrapped;
      } else {
        lines.push_back(std::move(row));
      }
    }
    rows_.clear();
    cols_ = cols;
    ++epoch_;
    for (Row& line : lines) {
      trim(line, line.line == at.line ? at.cell : 0);
      std::size_t from = 0;
      do {
        add_row(next_seq_++);
        Row& row = rows_.back();
        row.line = line.line;
        row.first = from;
        const std::size_t count = std::min<std::size_t>(cols, line.cells.size() - from);
        std::copy_n(line.cells.begin() + static_cast<std::ptrdiff_t>(from), count,
                    row.cells.begin());
        from += count;
        row.wrapped = from < line.cells.size();
      } while (rows_.back().wrapped);
    }
    while (rows_.size() < height_) {
      add_row(next_seq_++);
    }
    while (rows_.size() > height_ && blank(rows_.back()) && rows_.back().line != at.line) {
      rows_.pop_back();
    }
    const Cursor live = *locate(at);
    y_ = static_cast<std::uint16_t>(live.seq - screen_top().seq);
    x_ = std::min<std::uint32_t>(live.col, cols_ - 1U);
    pending_ = live.col == cols_;
  }

  [[nodiscard]] std::uint32_t epoch() const override { return epoch_; }
  [[nodiscard]] std::uint16_t cols() const override { return cols_; }
  [[nodiscard]] bool alternate_active() const override { return alternate_; }
  [[nodiscard]] Sequence oldest() const override { return rows_.front().seq; }
  [[nodiscard]] Sequence newest() const override { return rows_.back().seq; }
  [[nodiscard]] Cursor cursor() const override {
    return {row_at(y_).seq, pending_ ? cols_ : x_, epoch_};
  }
  [[nodiscard]] std::optional<Sequence> row_at_or_after(Sequence seq) const override {
    const auto found = lower(seq);
    return found == rows_.end() ? std::nullopt : std::optional(found->seq);
  }
  [[nodiscard]] std::optional<Sequence> row_before(Sequence seq) const override {
    const auto found = lower(seq);
    return found == rows_.begin() ? std::nullopt : std::optional((found - 1)->seq);
  }
  [[nodiscard]] terminal::RowText row(Sequence seq, std::uint32_t from) const override {
    const Row& row = *lower(seq);
    return text(row, from, used(row));
  }
  [[nodiscard]] terminal::RowText row_cells(Sequence seq, std::uint32_t from,
                                            std::uint32_t to) const override {
    return text(*lower(seq), from, std::min<std::uint32_t>(to, cols_));
  }
  [[nodiscard]] std::string row_ansi(Sequence seq, std::uint32_t from) const override {
    return "\x1b[0m" + row(seq, from).text;
  }
  [[nodiscard]] std::uint32_t column_of_byte(Sequence seq, std::size_t byte) const override {
    const Row& row = *lower(seq);
    std::size_t size = 0;
    std::uint32_t col = 0;
    const std::uint32_t end = used(row);
    while (col < end && size < byte) {
      size += row.cells[col].empty() ? 1 : row.cells[col] == wide_tail ? 0 : row.cells[col].size();
      ++col;
    }
    while (col < end && row.cells[col] == wide_tail) {
      ++col;
    }
    return col;
  }
  [[nodiscard]] std::optional<terminal::LinePosition> position(const Cursor& at) const override {
    if (at.epoch == epoch_) {
      const auto found = lower(at.seq);
      if (found == rows_.end() || found->seq != at.seq) {
        return std::nullopt;
      }
      return terminal::LinePosition{found->line, found->first + at.col};
    }
    const auto names = old_names_.find(at.epoch);
    if (names == old_names_.end() || names->second.count(at.seq) == 0) {
      return std::nullopt;
    }
    auto place = names->second.at(at.seq);
    place.cell += at.col;
    return place;
  }
  [[nodiscard]] std::optional<Cursor> locate(const terminal::LinePosition& place) const override {
    const Row* found = nullptr;
    for (const Row& row : rows_) {
      if (row.line == place.line && row.first <= place.cell) {
        found = &row;
      }
    }
    if (found == nullptr) {
      return std::nullopt;
    }
    const auto col = std::min<std::uint64_t>(place.cell - found->first, cols_);
    return Cursor{found->seq, static_cast<std::uint32_t>(col), epoch_};
  }

 private:
  struct Row {
    Sequence seq = 0;
    std::uint64_t line = 0;
    std::size_t first = 0;           // the row's first cell within its line
    std::vector<std::string> cells;  // empty: not written
    bool wrapped = false;
  };
  enum class State : std::uint8_t { ground, escape, csi, osc, osc_escape };
  using Names = std::map<Sequence, terminal::LinePosition>;
  inline static const std::string wide_tail = std::string(1, '\0');

  void add_row(Sequence seq) {
    rows_.push_back({seq, next_line_++, 0, std::vector<std::string>(cols_), false});
  }
  [[nodiscard]] std::vector<Row>::const_iterator lower(Sequence seq) const {
    return std::lower_bound(rows_.begin(), rows_.end(), seq,
                            [](const Row& row, Sequence wanted) { return row.seq < wanted; });
  }
  [[nodiscard]] const Row& screen_top() const { return rows_[rows_.size() - height_]; }
  [[nodiscard]] const Row& row_at(std::size_t y) const { return rows_[rows_.size() - height_ + y]; }
  [[nodiscard]] Row& row_at(std::size_t y) { return rows_[rows_.size() - height_ + y]; }
  [[nodiscard]] static bool blank(const Row& row) {
    return std::all_of(row.cells.begin(), row.cells.end(), [](auto& c) { return c.empty(); });
  }
  [[nodiscard]] Names names() const {
    Names result;
    for (const Row& row : rows_) {
      result[row.seq] = {row.line, row.first};
    }
    return result;
  }
  static void trim(Row& line, std::size_t keep) {
    while (line.cells.size() > keep && (line.cells.back().empty() || line.cells.back() == " ")) {
      line.cells.pop_back();
    }
  }
  [[nodiscard]] std::uint32_t used(const Row& row) const {
    if (row.wrapped) {
      return cols_;
    }
    auto end = static_cast<std::uint32_t>(row.cells.size());
    const std::uint32_t keep = row.seq == cursor().seq ? cursor().col : 0;
    while (end > keep && (row.cells[end - 1].empty() || row.cells[end - 1] == " ")) {
      --end;
    }
    return end;
  }
  [[nodiscard]] static terminal::RowText text(const Row& row, std::uint32_t from,
                                              std::uint32_t to) {
    terminal::RowText result{row.seq, {}, to, row.wrapped};
    for (std::uint32_t col = from; col < to; ++col) {
      const std::string& cell = row.cells[col];
      result.text += cell.empty() ? " " : cell == wide_tail ? "" : cell;
    }
    return result;
  }

  void step(char c, StreamOffset at, terminal::ScreenEvents& events) {
    switch (state_) {
      case State::ground:
        ground(c, at, events);
        break;
      case State::escape:
        sequence_.clear();
        state_ = c == ']' ? State::osc : c == '[' ? State::csi : State::ground;
        break;
      case State::csi:
        sequence_ += c;
        if (c >= '@') {
          control(c);
          state_ = State::ground;
        }
        break;
      case State::osc:
        if (c == '\a') {
          command(at + 1, events);
        } else if (c == '\x1b') {
          state_ = State::osc_escape;
        } else if (c == '\x18' || c == '\x1a') {
          state_ = State::ground;
        } else {
          sequence_ += c;
        }
        break;
      case State::osc_escape:
        if (c == '\\') {
          command(at + 1, events);
        } else {
          begin_ = at - 1;
          state_ = State::escape;
          step(c, at, events);
        }
        break;
    }
  }

  void ground(char c, StreamOffset at, terminal::ScreenEvents& events) {
    if (c == '\x1b') {
      begin_ = at;
      state_ = State::escape;
    } else if (c == '\r') {
      x_ = 0;
      pending_ = false;
    } else if (c == '\n') {
      pending_ = false;
      line_feed();
      if (watching_ && !alternate_) {
        events.line_finished();
      }
    } else if (c == '\b') {
      x_ -= x_ > 0 ? 1 : 0;
      pending_ = false;
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      character_ += c;
      if (utf8_character_length(character_) != 0) {
        print(std::exchange(character_, {}));
      }
    }
  }

  void line_feed() {
    if (alternate_) {
      return;
    }
    if (y_ + 1U < height_) {
      ++y_;
      return;
    }
    add_row(next_seq_++);
    if (rows_.size() > history_ + height_) {
      rows_.erase(rows_.begin());
    }
  }

  void print(const std::string& character) {
    printed_ = true;
    if (alternate_) {
      return;
    }
    const bool wide = character.size() == 3 && static_cast<unsigned char>(character[0]) >= 0xE4 &&
                      static_cast<unsigned char>(character[0]) <= 0xE9;
    if (pending_ || (wide && x_ + 2 > cols_)) {
      Row& row = row_at(y_);
      row.wrapped = true;
      const std::uint64_t line = row.line;
      const std::size_t first = row.first + cols_;
      pending_ = false;
      x_ = 0;
      line_feed();
      row_at(y_).line = line;
      row_at(y_).first = first;
    }
    row_at(y_).cells[x_] = character;
    if (wide) {
      row_at(y_).cells[++x_] = wide_tail;
    }
    pending_ = x_ + 1U == cols_;
    x_ += pending_ ? 0 : 1;
  }

  [[nodiscard]] std::uint32_t number(std::size_t field, std::uint32_t fallback) const {
    std::string_view rest = sequence_;
    rest.remove_suffix(1);
    for (; field > 0; --field) {
      const std::size_t end = rest.find(';');
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    rest = rest.substr(0, rest.find(';'));
    return rest.empty() ? fallback : static_cast<std::uint32_t>(std::stoul(std::string(rest)));
  }

  void control(char final) {
    if (sequence_ == "?1049h" || sequence_ == "?1049l") {
      alternate_ = final == 'h';
      return;
    }
    if (alternate_ || sequence_[0] == '?') {
      return;
    }
    const std::uint32_t count = std::max<std::uint32_t>(number(0, 1), 1);
    switch (final) {
      case 'A':
        y_ -= static_cast<std::uint16_t>(std::min<std::uint32_t>(count, y_));
        break;
      case 'B':
        y_ = static_cast<std::uint16_t>(std::min<std::uint32_t>(y_ + count, height_ - 1U));
        break;
      case 'C':
        x_ = std::min<std::uint32_t>(x_ + count, cols_ - 1U);
        break;
      case 'D':
        x_ -= std::min(count, x_);
        break;
      case 'G':
        x_ = std::min<std::uint32_t>(count - 1, cols_ - 1U);
        break;
      case 'H':
        y_ = static_cast<std::uint16_t>(std::min<std::uint32_t>(count, height_) - 1);
        x_ = std::min<std::uint32_t>(std::max<std::uint32_t>(number(1, 1), 1), cols_) - 1;
        break;
      case 'J':
        erase(number(0, 0));
        break;
      case 'K':
        std::fill(row_at(y_).cells.begin() + x_, row_at(y_).cells.end(), std::string());
        break;
      default:
        return;
    }
    pending_ = false;
  }

  void erase(std::uint32_t what) {
    if (what == 3) {
      rows_.erase(rows_.begin(), rows_.end() - height_);
    } else if (what == 2 || (what == 0 && y_ == 0 && x_ == 0)) {
      // The rows that are erased keep their numbers, the blank ones get new ones.
      rows_.erase(rows_.end() - height_, rows_.end());
      for (std::uint16_t i = 0; i < height_; ++i) {
        add_row(next_seq_++);
      }
    }
  }

  void command(StreamOffset end, terminal::ScreenEvents& events) {
    state_ = State::ground;
    const std::string payload = std::exchange(sequence_, {});
    const std::string_view kind = std::string_view(payload).substr(0, payload.find(';'));
    const std::string_view rest =
        payload.size() > kind.size() ? std::string_view(payload).substr(kind.size() + 1) : "";
    if (kind == "133" || kind == "633") {
      events.mark(payload, begin_, end, std::exchange(printed_, false));
    } else if (kind == "7") {
      events.working_directory(rest);
    } else if (kind == "0" || kind == "2") {
      events.title(rest, end);
    }
  }

  std::uint16_t cols_;
  std::uint16_t height_;
  std::size_t history_;
  std::vector<Row> rows_;  // history, then the screen
  Sequence next_seq_ = 0;
  std::uint64_t next_line_ = 0;
  std::uint32_t epoch_ = 0;
  std::map<std::uint32_t, Names> old_names_;
  std::uint32_t x_ = 0;
  std::uint16_t y_ = 0;
  bool pending_ = false;
  bool alternate_ = false;
  bool watching_ = false;
  bool printed_ = false;
  State state_ = State::ground;
  std::string sequence_;
  std::string character_;
  StreamOffset begin_ = 0;
};

}  // namespace troupe::test
