// SPDX-License-Identifier: MIT
#include "playback/rendering.hpp"

#include <optional>
#include <string_view>

#include "terminal/screen.hpp"
#include "terminal/screen_events.hpp"

namespace troupe::playback {

namespace {

constexpr std::size_t work_budget_cells = 1U << 20U;
constexpr terminal::Size default_size{80, 24};

/// Nobody listens to a recording: its queries were answered when it was made.
class Deaf final : public terminal::ScreenEvents {
 public:
  void mark(std::string_view /*payload*/, StreamOffset /*begin*/, StreamOffset /*end*/,
            bool /*printed*/) override {}
  void title(std::string_view /*text*/, StreamOffset /*end*/) override {}
  void working_directory(std::string_view /*url*/) override {}
  void reply(std::string_view /*bytes*/) override {}
  void bell() override {}
  void line_finished() override {}
};

void feed(terminal::Screen& screen, std::string_view bytes, StreamOffset& offset) {
  Deaf events;
  for (bool more = true; more || !bytes.empty();) {
    const terminal::FeedResult result = screen.feed(bytes, offset, work_budget_cells, events);
    bytes.remove_prefix(result.consumed);
    offset += result.consumed;
    more = result.more;
  }
}

void resize(terminal::Screen& screen, const recording::Entry& entry) {
  if (entry.cols != 0 && entry.rows != 0 &&
      std::size_t{entry.cols} * entry.rows <= terminal::max_cells) {
    screen.resize({entry.cols, entry.rows});
  }
}

}  // namespace

std::vector<std::string> render(recording::RecordingReader& reader, RowFormat format,
                                const RenderLimits& limits) {
  terminal::ScreenLimits screen_limits;
  screen_limits.history_rows = limits.history_rows;
  screen_limits.history_bytes = limits.history_bytes;
  terminal::Screen screen(default_size, screen_limits);
  StreamOffset offset = 0;
  while (const std::optional<recording::Entry> entry = reader.next()) {
    if (entry->kind == recording::EntryKind::output) {
      feed(screen, entry->data, offset);
    } else if (entry->kind == recording::EntryKind::start ||
               entry->kind == recording::EntryKind::resize) {
      resize(screen, *entry);
    }
  }
  std::vector<std::string> rows;
  bool continues = false;
  for (std::optional<Sequence> seq = screen.row_at_or_after(screen.oldest()); seq;
       seq = screen.row_at_or_after(*seq + 1)) {
    if (format == RowFormat::ansi) {
      rows.push_back(screen.row_ansi(*seq));
      continue;
    }
    const terminal::RowText row = screen.row(*seq);
    if (continues) {
      rows.back() += row.text;
    } else {
      rows.push_back(row.text);
    }
    continues = row.wrapped;
  }
  while (!rows.empty() && rows.back().find_first_not_of(" \t") == std::string::npos) {
    rows.pop_back();
  }
  return rows;
}

}  // namespace troupe::playback
