// SPDX-License-Identifier: MIT
#include <algorithm>

#include "terminal/history.hpp"
#include "terminal/utf8.hpp"
#include "terminal/width.hpp"

namespace troupe::terminal {
namespace {

constexpr char unwritten_mark = '\0';
constexpr char cluster_mark = '\x01';

void add_run(Line& line, std::uint32_t cells, const Attributes& attributes) {
  if (!line.runs) {
    if (attributes == Attributes{}) {
      return;
    }
    line.runs = std::make_unique<std::vector<StyleRun>>();
    if (line.cells > cells) {  // they are counted already
      line.runs->push_back({line.cells - cells, Attributes{}});
    }
  }
  if (!line.runs->empty() && line.runs->back().attributes == attributes) {
    line.runs->back().cells += cells;
  } else {
    line.runs->push_back({cells, attributes});
  }
}

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

void append_cell(Line& line, const Cell& cell, const ClusterTable& clusters) {
  const unsigned width = cell.is_wide() ? 2 : 1;
  if (cell.unwritten() || cell.is_tail()) {
    line.text.push_back(unwritten_mark);
    line.cells += 1;
    return;
  }
  std::string single;
  std::string_view text;
  if (cell.is_cluster()) {
    text = clusters.text(cell.value());
  } else {
    append_utf8(single, cell.value());
    text = single;
  }
  if (natural_width(text) == width) {
    line.text += text;
  } else {
    line.text.push_back(cluster_mark);
    line.text.push_back(static_cast<char>(width));
    line.text.push_back(static_cast<char>(text.size()));
    line.text += text;
  }
  line.plain = false;
  line.wide |= width == 2;
  line.cells += width;
}

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
  std::uint32_t x = 0;
  while (x < stop) {
    const Attributes attributes = row.cells[x].attributes;
    const std::uint32_t before = line.cells;
    while (x < stop && row.cells[x].attributes == attributes) {
      const Cell& cell = row.cells[x];
      if (cell.content - 0x20U < 0x5FU) {
        line.text.push_back(static_cast<char>(cell.content));
        ++line.cells;
        ++x;
        continue;
      }
      append_cell(line, cell, clusters);
      x += cell.is_wide() ? 2U : 1U;
    }
    add_run(line, line.cells - before, attributes);
    // The tail may look other than its head only where it is cut; it never is.
  }
  if (x < end) {
    line.text.append(end - x, unwritten_mark);
    line.cells += end - x;
    add_run(line, end - x, Attributes{});
  }
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
