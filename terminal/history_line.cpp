// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>

#include "terminal/history.hpp"
#include "terminal/utf8.hpp"
#include "terminal/width.hpp"

namespace troupe::terminal {
namespace {

constexpr char unwritten_mark = '\0';
constexpr char cluster_mark = '\x01';
constexpr Attributes unwritten_look;

// The width that the table gives a cluster when it is read code point by code point; 0 where it
// would not be read as one cell.
unsigned natural_width(std::string_view text) {
  std::size_t at = 0;
  const unsigned width = character_width(next_utf8(text, at));
  while (at < text.size()) {
    if (character_width(next_utf8(text, at)) != 0) {
      return 0;
    }
  }
  return width;
}

bool same_look(const Attributes& a, const Attributes& b) {
  // Twelve bytes without padding, compared at once.
  static_assert(sizeof(Attributes) == 12);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Gathers a row's text and looks, so that a line is given both in one go: most lines get exactly
/// the memory they need, by one allocation each.
class LineAppender {
 public:
  explicit LineAppender(Line& line) : line_(line), run_begin_(line.cells) {}

  /// Takes the ASCII cells at the start of [begin, end) that look so; returns behind the last.
  const Cell* ascii(const Cell* begin, const Cell* end, const Attributes& look) {
    const Cell* cell = begin;
    while (cell != end) {
      if (size_ == text_.size()) {
        flush_text();
      }
      char* to = text_.data() + size_;
      const Cell* const stop =
          cell + std::min<std::ptrdiff_t>(end - cell, text_.data() + text_.size() - to);
      while (cell != stop && cell->content - 0x20U < 0x5FU && same_look(cell->attributes, look)) {
        *to++ = static_cast<char>(cell++->content);
      }
      size_ = static_cast<std::size_t>(to - text_.data());
      if (cell != stop) {
        break;
      }
    }
    line_.cells += static_cast<std::uint32_t>(cell - begin);
    return cell;
  }
  void unwritten(std::uint32_t count) {
    line_.cells += count;
    while (count-- > 0) {
      bytes({&unwritten_mark, 1});
    }
  }
  void cell(const Cell& cell, const ClusterTable& clusters) {
    const unsigned width = cell.is_wide() ? 2 : 1;
    if (cell.is_cluster()) {
      text(clusters.text(cell.value()), width);
    } else if (character_width(cell.value()) == width) {
      if (text_.size() - size_ < max_utf8_length) {
        flush_text();
      }
      char* const to = text_.data() + size_;
      size_ += static_cast<std::size_t>(encode_utf8(to, cell.value()) - to);
    } else {
      single_.clear();
      append_utf8(single_, cell.value());
      text(single_, width);
    }
    line_.plain = false;
    line_.wide |= width == 2;
    line_.cells += width;
  }
  /// `look` outlives `finish`.
  void run(std::uint32_t cells, const Attributes& look) {
    if (run_count_ == runs_.size()) {
      flush_runs();
    }
    runs_[run_count_++] = {cells, &look};
    run_cells_ += cells;
  }
  void finish() {
    flush_text();
    flush_runs();
  }

 private:
  struct Run {
    std::uint32_t cells;
    const Attributes* look;
  };

  void text(std::string_view text, unsigned width) {
    if (natural_width(text) != width) {
      const std::array<char, 3> head = {cluster_mark, static_cast<char>(width),
                                        static_cast<char>(text.size())};
      bytes({head.data(), head.size()});
    }
    bytes(text);
  }
  void bytes(std::string_view bytes) {
    if (bytes.size() > text_.size() - size_) {
      flush_text();
    }
    if (bytes.size() > text_.size()) {
      line_.text += bytes;
      return;
    }
    std::memcpy(text_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void flush_text() {
    line_.text.append(text_.data(), size_);
    size_ = 0;
  }
  void flush_runs() {
    const auto all = runs_.begin() + static_cast<std::ptrdiff_t>(run_count_);
    const bool styled =
        std::any_of(runs_.begin(), all, [](const Run& run) { return *run.look != Attributes{}; });
    if (!line_.runs && styled) {
      line_.runs = std::make_unique<std::vector<StyleRun>>();
      line_.runs->reserve(run_count_ + 1);
      if (run_begin_ > 0) {
        line_.runs->push_back({run_begin_, Attributes{}});
      }
    }
    for (auto run = runs_.begin(); line_.runs && run != all; ++run) {
      if (!line_.runs->empty() && line_.runs->back().attributes == *run->look) {
        line_.runs->back().cells += run->cells;
      } else {
        line_.runs->push_back({run->cells, *run->look});
      }
    }
    run_count_ = 0;
    run_begin_ += run_cells_;
    run_cells_ = 0;
  }

  Line& line_;
  std::array<char, 512> text_;  // written before it is read
  std::size_t size_ = 0;
  std::array<Run, 16> runs_;  // as well
  std::size_t run_count_ = 0;
  std::uint32_t run_begin_;  // cells of the line before the gathered runs
  std::uint32_t run_cells_ = 0;
  std::string single_;
};

}  // namespace

LineCell read_cell(std::string_view text, std::size_t& byte) {
  const char first = text[byte];
  if (first == unwritten_mark) {
    ++byte;
    return {};
  }
  if (first == cluster_mark) {
    const auto width = static_cast<unsigned>(text[byte + 1]);
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(text[byte + 2]));
    const LineCell cell{text.substr(byte + 3, length), width};
    byte += 3 + length;
    return cell;
  }
  const std::size_t begin = byte;
  if (static_cast<unsigned char>(first) < 0x80) {
    ++byte;
    if (byte == text.size() || static_cast<unsigned char>(text[byte]) < 0xC0) {
      return {text.substr(begin, 1), 1};
    }
    byte = begin;
  }
  const unsigned width = character_width(next_utf8(text, byte));
  while (byte < text.size() && static_cast<unsigned char>(text[byte]) >= 0xC0) {
    std::size_t next = byte;
    if (character_width(next_utf8(text, next)) != 0) {
      break;
    }
    byte = next;
  }
  return {text.substr(begin, byte - begin), width == 0 ? 1 : width};
}

void append_cells(Line& line, const Row& row, std::uint32_t end, const ClusterTable& clusters) {
  const std::uint32_t stop = std::min(end, row.used);
  const Cell* const cells_end = row.cells.get() + stop;
  LineAppender out{line};
  const Cell* cell = row.cells.get();
  while (cell < cells_end) {
    const Attributes& attributes = cell->attributes;
    const std::uint32_t before = line.cells;
    while ((cell = out.ascii(cell, cells_end, attributes)) < cells_end &&
           same_look(cell->attributes, attributes)) {
      if (cell->unwritten() || cell->is_tail()) {
        out.unwritten(1);
        ++cell;
      } else {
        out.cell(*cell, clusters);
        // The tail may look other than its head only where it is cut; it never is.
        cell += cell->is_wide() ? 2 : 1;
      }
    }
    out.run(line.cells - before, attributes);
  }
  if (const auto x = static_cast<std::uint32_t>(cell - row.cells.get()); x < end) {
    out.unwritten(end - x);
    out.run(end - x, unwritten_look);
  }
  out.finish();
}

std::uint32_t count_rows(const Line& line, std::uint32_t cols) {
  if (!line.wide) {
    return std::max<std::uint32_t>(1, (line.content + cols - 1) / cols);
  }
  std::uint32_t rows = 1;
  std::uint32_t x = 0;
  std::uint32_t cells = 0;
  for (std::size_t byte = 0; byte < line.text.size() && cells < line.content;) {
    const unsigned width = read_cell(line.text, byte).width;
    if (x + width > cols) {
      ++rows;
      x = 0;
    }
    x += width;
    cells += width;
  }
  return rows;
}

RowStart row_start(const Line& line, std::uint32_t cols, std::uint32_t row, RowStart start,
                   std::uint32_t at) {
  if (!line.wide) {
    const std::uint64_t wanted = static_cast<std::uint64_t>(row) * cols;
    const auto cell = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, line.cells));
    if (line.plain) {
      return {cell, cell};
    }
    for (; start.cell < cell; ++start.cell) {
      (void)read_cell(line.text, start.byte);
    }
    return start;
  }
  std::uint32_t x = 0;
  while (at < row && start.byte < line.text.size()) {
    std::size_t next = start.byte;
    const unsigned width = read_cell(line.text, next).width;
    if (x + width > cols) {
      ++at;
      x = 0;
      continue;
    }
    x += width;
    start.byte = next;
    start.cell += width;
    if (x == cols) {
      ++at;
      x = 0;
    }
  }
  return start;
}

void decode_row(const Line& line, RowStart start, std::uint32_t cols, ClusterTable& clusters,
                Row& out) {
  out.used = 0;
  if (start.byte >= line.text.size()) {
    return;
  }
  out.cells = std::make_unique<Cell[]>(cols);
  StyleReader styles{line, start.cell};
  std::uint32_t x = 0;
  for (std::size_t byte = start.byte; byte < line.text.size();) {
    const LineCell cell = read_cell(line.text, byte);
    if (x + cell.width > cols) {
      break;
    }
    const Attributes attributes = styles.take(cell.width);
    std::uint32_t content = 0;
    if (!cell.text.empty()) {
      std::size_t at = 0;
      content = static_cast<std::uint32_t>(next_utf8(cell.text, at));
      if (at < cell.text.size()) {
        const auto id = clusters.intern(cell.text);
        content = id == ClusterTable::none ? content : (Cell::cluster | id);
      }
    }
    if (cell.width == 2) {
      out.cells[x] = {content | Cell::wide, attributes};
      out.cells[x + 1] = {Cell::wide_tail, attributes};
    } else {
      out.cells[x] = {content, attributes};
    }
    x += cell.width;
  }
  out.used = x;
}

}  // namespace troupe::terminal
