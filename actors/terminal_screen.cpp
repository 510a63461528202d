// SPDX-License-Identifier: MIT

/// @file
/// The operations that read the screen. They wait a moment for the end of a frame that is being
/// drawn.

#include <algorithm>
#include <utility>

#include "actors/terminal_core.hpp"
#include "protocol/limits.hpp"

namespace troupe::actors {

namespace reply = protocol::reply;

void TerminalCore::read_screen(const ReplyTo& to, ScreenRequest request, Moment now) {
  screen_reads_.push_back({to, request, now.steady_us});
  answer_screen_reads(now);
}

/// In order; one that is not due holds those behind it, which asked later.
void TerminalCore::answer_screen_reads(Moment now) {
  while (!screen_reads_.empty() && screen_due_us(screen_reads_.front()) <= now.steady_us) {
    answer_first_screen_read();
  }
}

void TerminalCore::answer_all_screen_reads() {
  while (!screen_reads_.empty()) {
    answer_first_screen_read();
  }
}

void TerminalCore::answer_first_screen_read() {
  const ScreenRead read = std::move(screen_reads_.front());
  screen_reads_.pop_front();
  read.to(std::visit([this](const auto& request) { return screen_reply(request); }, read.request));
}

/// What is over changes no more.
std::int64_t TerminalCore::screen_due_us(const ScreenRead& read) const {
  const bool over = (stream_over_ && input_.empty()) || !channel_open_;
  return over ? read.asked_us : frames_.ready_us(read.asked_us);
}

protocol::Response TerminalCore::screen_reply(const protocol::request::Snapshot& request) const {
  const terminal::Screen& screen = terminal_.screen();
  std::size_t const rows = request.history_rows.value_or(config_.options.screen.checkpoint_rows);
  terminal::Checkpoint checkpoint = screen.checkpoint(rows);
  reply::Snapshot snapshot;
  snapshot.terminal = info();
  snapshot.text = screen.plain_text(rows);
  snapshot.checkpoint = std::move(checkpoint.bytes);
  snapshot.reduced = checkpoint.reduced;
  snapshot.cursor_x = screen.cursor_x();
  snapshot.cursor_y = screen.cursor_y();
  return snapshot;
}

protocol::Response TerminalCore::screen_reply(const protocol::request::ReadRows& request) const {
  if (request.rows == 0) {
    return reply::Error{Error{Code::bad_request, "row count must be positive"}};
  }
  const terminal::Screen& screen = terminal_.screen();
  reply::Rows rows;
  rows.lines = screen.last_rows(request.rows.value_or(terminal_.size().rows));
  if (protocol::rows_cost(rows.lines) > protocol::rows_budget_bytes) {
    return reply::Error{Error{Code::too_large, "rows exceed " +
                                                   std::to_string(protocol::rows_budget_bytes) +
                                                   " byte limit; request fewer rows"}};
  }
  rows.terminal = info();
  rows.cursor_x = screen.cursor_x();
  rows.cursor_y = screen.cursor_y();
  return rows;
}

}  // namespace troupe::actors
