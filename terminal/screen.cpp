// SPDX-License-Identifier: MIT
#include "terminal/screen.hpp"

#include <algorithm>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {
namespace {

constexpr unsigned char bell = 0x07;

Size effective(Size wanted) {
  Size size{std::max<std::uint16_t>(wanted.cols, 2), std::max<std::uint16_t>(wanted.rows, 1)};
  const std::uint32_t most = max_cells / size.cols;
  size.rows = static_cast<std::uint16_t>(std::min<std::uint32_t>(size.rows, most));
  return size;
}

}  // namespace

ScreenImpl::ScreenImpl(Size wanted, const ScreenLimits& screen_limits)
    : size(effective(wanted)),
      limits(screen_limits),
      primary(size.cols, size.rows),
      tallest(size.rows),
      history(screen_limits.history_rows, screen_limits.history_bytes) {
  names.resize(size.rows);
  rename_rows();
  reset_margins();
  default_tabs();
}

FeedResult ScreenImpl::feed(std::string_view bytes, StreamOffset offset, std::size_t budget,
                            ScreenEvents& to) {
  events = &to;
  reached = std::max(reached, names[primary_position().y].seq);
  const FeedResult result = take_bytes(bytes, offset, budget);
  tell_lines();
  return result;
}

FeedResult ScreenImpl::take_bytes(std::string_view bytes, StreamOffset offset, std::size_t budget) {
  // A piece is small enough that the budget is looked at often.
  constexpr std::size_t piece = 16 * 1024;
  const auto spent = [this] { return work + primary.work + (alternate ? alternate->work : 0); };
  const std::uint64_t start = spent();
  std::size_t at = 0;
  do {
    if (repeats_left > 0) {
      run_repeats(budget);
      if (repeats_left > 0) {
        return {at, true};
      }
    }
    const Token token =
        tokenizer.next(bytes.substr(0, std::min(bytes.size(), at + piece)), at, offset);
    if (token != Token::end) {
      take_token(token, offset + at);
    }
  } while ((at < bytes.size() || repeats_left > 0) && spent() - start < budget);
  return {at, repeats_left > 0};
}

// Whether finished rows, or the order of events, could change by this token.
bool ScreenImpl::disturbs_lines(Token token) const {
  switch (token) {
    case Token::text:
      return false;
    case Token::control:
      return modes.reverse_wrap || tokenizer.control() == bell;  // a backspace may go up
    case Token::csi:
      return tokenizer.prefix() != 0 || tokenizer.intermediate() != 0 ||
             (tokenizer.final() != 'm' && tokenizer.final() != 'K');
    default:
      return true;
  }
}

void ScreenImpl::take_token(Token token, StreamOffset end) {
  if (decoder.pending() && (token != Token::text || tokenizer.interrupted())) {
    end_partial_character();
  }
  tokenizer.continue_text();
  overran = overran && token == Token::text;
  if (untold && disturbs_lines(token)) {
    tell_lines();
  }
  switch (token) {
    case Token::text:
      return print_text(tokenizer.text());
    case Token::control:
      return control(tokenizer.control());
    case Token::escape:
      return escape_sequence();
    case Token::csi:
      ++work;
      return control_sequence();
    case Token::osc:
      return operating_system_command(end);
    case Token::dcs:
      return device_control(end);
    case Token::end:
      break;
  }
}

// What a new child finds: default modes, the primary screen.
void ScreenImpl::soft_restart() {
  alternate_active = false;
  modes = {};
  mouse = {};
  charsets = {};
  pen = {};
  keyboards = {};
  saved_cursors = {};
  modify_other_keys = 0;
  cursor_style = 0;
  palette_changes.clear();
  saved_modes.clear();
  reset_margins();
  default_tabs();
  tokenizer.reset();
  decoder.reset();
  joinable = false;
  overran = false;
  repeatable = 0;
  repeats_left = 0;
  printed = false;
}

void ScreenImpl::restart() {
  if (alternate_active) {
    cursor = primary_cursor;
  }
  soft_restart();
  drop_alternate();
  const bool fresh = cursor.x == 0 && !cursor.pending && primary.row(cursor.y).used == 0;
  if (!fresh) {
    cursor.x = 0;
    index();
    primary.row(cursor.y).continues = false;
  }
}

void ScreenImpl::full_reset() {
  const bool any = !blank_screen(primary) || !history.empty();
  soft_restart();
  drop_alternate();
  cursor = {};
  history.clear();
  old_names.clear();
  for (std::uint32_t y = 0; y < size.rows; ++y) {
    primary.reset_row(y, {});
  }
  if (any) {
    rename_rows();
  }
}

std::size_t ScreenImpl::memory_bytes() const {
  std::size_t bytes = sizeof(ScreenImpl) + primary.memory_bytes() + history.memory_bytes() +
                      clusters.memory_bytes() + extras.memory_bytes() + tokenizer.memory_bytes() +
                      vterm.memory_bytes() + names.size() * sizeof(History::RowName) +
                      tabs.capacity() / 8 + title.capacity() + directory.capacity();
  bytes += alternate ? alternate->memory_bytes() : 0;
  bytes += alternate_above.size() * (sizeof(Row) + size.cols * sizeof(Cell));
  for (const EpochNames& old : old_names) {
    bytes += sizeof(EpochNames) + old.runs.capacity() * sizeof(EpochNames::Run);
  }
  return bytes;
}

// -- the public face ------------------------------------------------------------------------------

Screen::Screen(Size size, const ScreenLimits& limits)
    : impl_(std::make_unique<ScreenImpl>(size, limits)) {}
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;
Screen::~Screen() = default;

FeedResult Screen::feed(std::string_view bytes, StreamOffset offset, std::size_t work_budget,
                        ScreenEvents& events) {
  return impl_->feed(bytes, offset, work_budget, events);
}
Size Screen::resize(Size size) {
  return impl_->resize(effective(size));
}
Size Screen::size() const {
  return impl_->size;
}
void Screen::restart() {
  impl_->restart();
}
void Screen::watch_lines(bool on) {
  impl_->watch_lines = on;
}
Checkpoint Screen::checkpoint(std::size_t history_rows) const {
  return impl_->checkpoint(history_rows);
}
std::string Screen::plain_text(std::size_t history_rows) const {
  return impl_->plain_text(history_rows);
}
std::vector<std::string> Screen::last_rows(std::size_t count) const {
  return impl_->last_rows(count);
}
std::uint16_t Screen::cursor_x() const {
  return static_cast<std::uint16_t>(impl_->cursor.x);
}
std::uint16_t Screen::cursor_y() const {
  return static_cast<std::uint16_t>(impl_->cursor.y);
}
CursorLine Screen::cursor_line(std::uint32_t max_rows) const {
  return impl_->cursor_line(max_rows);
}
InputModes Screen::input_modes() const {
  const Modes& modes = impl_->modes;
  return {modes.cursor_keys,         modes.keypad,
          modes.bracketed_paste,     modes.newline,
          modes.backarrow_backspace, impl_->keyboards[impl_->alternate_active ? 1 : 0].flags,
          impl_->modify_other_keys};
}
bool Screen::synchronized_output() const {
  return impl_->modes.synchronized;
}
std::size_t Screen::memory_bytes() const {
  return impl_->memory_bytes();
}
std::uint32_t Screen::epoch() const {
  return impl_->epoch;
}
std::uint16_t Screen::cols() const {
  return impl_->size.cols;
}
bool Screen::alternate_active() const {
  return impl_->alternate_active;
}
std::optional<LinePosition> Screen::position(const Cursor& cursor) const {
  return impl_->position(cursor);
}
std::optional<Cursor> Screen::locate(const LinePosition& position) const {
  return impl_->locate(position);
}

}  // namespace troupe::terminal
