// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The state of a Screen and the functions on it, one source file an area: see README.md.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/grid.hpp"
#include "terminal/history.hpp"
#include "terminal/modes.hpp"
#include "terminal/row_view.hpp"
#include "terminal/screen.hpp"
#include "terminal/tables.hpp"
#include "terminal/tokenizer.hpp"
#include "terminal/utf8.hpp"
#include "terminal/vterm_adapter.hpp"

namespace troupe::terminal {

/// How editing functions are performed. `direct`: the frequent ones by ourselves, the rest by
/// libvterm. `vterm`: all of them by libvterm, which tests compare with `direct`.
enum class EditRoute : std::uint8_t { direct, vterm };

/// Names of lines as they were before a width change, so that older cursors still find their text.
struct EpochNames {
  struct Run {  ///< `count` lines of one row each, named one after the other
    Sequence seq = 0;
    std::uint64_t id = 0;
    std::uint32_t count = 0;
  };
  std::uint32_t epoch = 0;
  std::uint32_t cols = 0;
  Sequence end = 0;
  std::vector<Run> runs;
};

class ScreenImpl final : public EditTarget {
 public:
  ScreenImpl(Size size, const ScreenLimits& screen_limits);

  // -- screen.cpp ------------------------------------------------------------------------------
  FeedResult feed(std::string_view bytes, StreamOffset offset, std::size_t budget,
                  ScreenEvents& to);
  FeedResult take_bytes(std::string_view bytes, StreamOffset offset, std::size_t budget);
  [[nodiscard]] bool disturbs_lines(Token token) const;
  void restart();
  void soft_restart();
  [[nodiscard]] std::size_t memory_bytes() const;
  void take_token(Token token, StreamOffset end);
  void full_reset();

  // -- screen_text.cpp -------------------------------------------------------------------------
  void print_text(std::string_view bytes);
  std::size_t print_plainly(std::string_view bytes);
  void print_ascii(std::string_view ascii);
  std::size_t print_mixed(std::string_view bytes);
  template <class Content>
  void put_run(const Content* contents, std::uint32_t count);
  void print_character(char32_t c);
  void print_translated(char32_t c);
  void end_partial_character();
  void place(std::uint32_t content, unsigned width);
  [[nodiscard]] bool take_last_column(std::uint32_t limit, unsigned width);
  void combine(char32_t c);
  void combine_roomless(char32_t c);
  bool join_cluster(char32_t c);
  bool set_cluster(std::uint32_t x, std::string_view text);
  void wrap();
  void pad_row(std::uint32_t limit);
  void repeat(std::uint32_t count);
  void run_repeats(std::uint64_t budget);
  [[nodiscard]] std::uint32_t right_limit() const;
  void cell_text(const Cell& cell, std::string& out) const;

  // -- screen_tables.cpp -----------------------------------------------------------------------
  template <typename Visit>
  void for_each_grid_cell(Visit&& visit) const;
  void sweep_clusters();
  void sweep_extras();
  std::uint16_t intern_extra(const Extra& extra);
  void update_pen_extra();

  // -- screen_move.cpp -------------------------------------------------------------------------
  void restrict_cursor();
  void move_to(std::uint32_t x, std::uint32_t y);  ///< zero-based, relative to the origin
  void move_column(std::uint32_t x);
  void move_row(std::uint32_t y);
  void move_by(std::int64_t dx, std::int64_t dy);
  void cursor_up(std::uint32_t count);
  void cursor_down(std::uint32_t count);
  void carriage_return();
  void backspace();
  void tab(std::uint32_t count);
  void back_tab(std::uint32_t count);
  void line_feed();
  void finish_line();
  void tell_lines();
  void index();
  void reverse_index();
  void save_cursor();
  void restore_cursor();
  void set_margins(const Parameters& p);
  void set_side_margins(const Parameters& p);
  void reset_margins();
  void default_tabs();
  void extend_tabs();

  // -- screen_edit.cpp -------------------------------------------------------------------------
  void edit(Edit what, std::uint32_t argument);
  void edit_chars(Edit what, std::uint32_t count);
  void edit_lines(Edit what, std::uint32_t count);
  void erase_in_line(std::uint32_t mode, Erase what);
  void erase_in_display(std::uint32_t mode, Erase what);
  void erase_history();
  void alignment_test();
  void scroll_region(std::uint32_t top, std::uint32_t bottom, std::uint32_t count);
  void push_history(std::uint32_t count);
  void keep_alternate_rows(std::uint32_t count);
  void rename_rows();
  void erase_rectangle(const Rectangle& area, Erase what) override;
  void scroll_rectangle(const Rectangle& area, int up, int left) override;
  [[nodiscard]] Attributes fill() const { return {0, pen.look.background, 0, 0}; }
  [[nodiscard]] bool full_sides() const {
    return !modes.left_right || (margins.left == 0 && margins.right == size.cols);
  }
  [[nodiscard]] bool blank_screen(const Grid& grid) const;

  // -- screen_control.cpp ----------------------------------------------------------------------
  void control(unsigned char c);
  void escape_sequence();
  void control_sequence();
  void plain_sequence(char final, const Parameters& p);
  void private_sequence(char final, const Parameters& p);
  void spaced_sequence(char final, const Parameters& p);
  void keyboard_sequence(char prefix, const Parameters& p);
  void window_operation(const Parameters& p);
  void designate(char slot, char set);
  void soft_reset();

  // -- screen_modes.cpp ------------------------------------------------------------------------
  void set_ansi_mode(unsigned mode, bool on);
  void set_private_mode(unsigned mode, bool on);
  bool* private_flag(unsigned mode);
  [[nodiscard]] std::optional<bool> private_mode(unsigned mode);
  void set_mouse(unsigned mode, bool on);
  void enter_alternate(unsigned mode);
  void leave_alternate(unsigned mode);
  void drop_alternate();
  void save_modes(const Parameters& p);
  void restore_modes(const Parameters& p);

  // -- screen_strings.cpp ----------------------------------------------------------------------
  void operating_system_command(StreamOffset end);
  void device_control(StreamOffset end);
  void passthrough(std::string_view bytes, StreamOffset end);
  void mark(std::string_view payload, StreamOffset end);
  void hyperlink(std::string_view payload);
  void palette(std::string_view payload);
  void dynamic_color(unsigned code, std::string_view payload);
  void reset_palette(std::string_view payload);

  // -- screen_queries.cpp ----------------------------------------------------------------------
  void reply(std::string_view bytes);
  void report_status(unsigned what, bool is_private);
  void report_mode(unsigned mode, bool is_private);
  void report_setting(std::string_view request);
  void report_capabilities(std::string_view request);
  void report_color(std::string_view name, Color color);
  [[nodiscard]] Color palette_color(unsigned index) const;

  // -- screen_resize.cpp -----------------------------------------------------------------------
  Size resize(Size wanted);
  void resize_alternate(Size wanted);
  void resize_alternate_rows(std::uint32_t rows, std::uint32_t& y);
  void resize_primary_rows(std::uint32_t rows, std::uint32_t& y);
  void reflow(std::uint32_t old_cols, std::uint32_t& y);
  void pull_row(std::vector<Row>& rows);
  void order_names();
  void remember_names(std::uint32_t old_cols);
  void place_cursor(ScreenCursor& c, const std::optional<LinePosition>& place, bool pull);

  // -- checkpoint.cpp --------------------------------------------------------------------------
  [[nodiscard]] Checkpoint checkpoint(std::size_t history_rows) const;

  // -- screen_rows.cpp: see Screen -------------------------------------------------------------
  [[nodiscard]] Sequence oldest() const;
  [[nodiscard]] std::optional<std::uint32_t> screen_row(Sequence seq) const;
  [[nodiscard]] RowView view(Sequence seq) const;
  [[nodiscard]] RowView history_view(History::Place place) const;
  [[nodiscard]] bool next_continues(Sequence seq) const;
  [[nodiscard]] RowText row_text(Sequence seq, std::uint32_t from, std::uint32_t to,
                                 bool trim) const;
  template <typename Add>
  void for_each_last_row(std::size_t count, Add&& add) const;
  [[nodiscard]] std::vector<std::string> last_rows(std::size_t count) const;
  [[nodiscard]] CursorLine cursor_line(std::uint32_t max_rows) const;
  [[nodiscard]] std::string plain_text(std::size_t history_rows) const;

  // -- screen_names.cpp ------------------------------------------------------------------------
  [[nodiscard]] std::optional<LinePosition> position(const Cursor& at) const;
  [[nodiscard]] std::optional<LinePosition> old_position(const Cursor& at) const;
  class RowFinder;
  void find_on_screen(RowFinder& finder, std::uint32_t y) const;
  [[nodiscard]] std::optional<LinePosition> screen_position(std::uint32_t y, std::uint32_t x) const;
  [[nodiscard]] std::optional<Cursor> locate(const LinePosition& place) const;
  [[nodiscard]] Cursor locate_on_screen(std::uint32_t y, std::uint64_t cell) const;
  [[nodiscard]] std::optional<std::uint32_t> line_on_screen(std::uint64_t id) const;
  [[nodiscard]] std::uint32_t row_length(std::uint32_t y) const;
  [[nodiscard]] std::uint32_t line_length(std::size_t line) const;
  [[nodiscard]] ScreenCursor primary_position() const {
    return alternate_active ? primary_cursor : cursor;
  }

  [[nodiscard]] Grid& grid() { return alternate_active ? *alternate : primary; }
  [[nodiscard]] const Grid& grid() const { return alternate_active ? *alternate : primary; }
  [[nodiscard]] SavedCursor& saved() { return saved_cursors[alternate_active ? 1 : 0]; }
  [[nodiscard]] KeyboardStack& keyboard() { return keyboards[alternate_active ? 1 : 0]; }

  Size size;
  ScreenLimits limits;
  Grid primary;
  std::optional<Grid> alternate;
  /// Rows that left the alternate screen at its top, for it to take back when it is made higher; at
  /// most `alternate_room`. Nobody reads them.
  std::deque<Row> alternate_above;
  std::uint32_t alternate_room = 0;
  /// Rows that the screen had at most before there was an alternate one.
  std::uint32_t tallest = 0;
  bool alternate_active = false;
  History history;
  std::deque<History::RowName> names;  ///< of the primary screen's rows
  Sequence next_seq = 0;
  std::uint64_t next_id = 1U << 16U;
  std::uint32_t epoch = 0;
  std::deque<EpochNames> old_names;

  ScreenCursor cursor;
  ScreenCursor primary_cursor;              ///< while the alternate screen is shown
  std::array<std::uint32_t, 2> hidden_y{};  ///< rows that decide how a hidden screen is resized
  std::array<SavedCursor, 2> saved_cursors;
  Pen pen;
  Modes modes;
  Mouse mouse;
  Charsets charsets;
  Rectangle margins;  ///< left and right count only with modes.left_right
  std::vector<bool> tabs;
  std::array<KeyboardStack, 2> keyboards;
  std::uint8_t modify_other_keys = 0;
  std::uint8_t cursor_style = 0;
  std::string title;
  std::string directory;
  std::map<std::uint16_t, Color> palette_changes;  ///< 0…255; 256 + 10, 11, 12 for OSC 10…12
  std::map<std::uint16_t, bool> saved_modes;

  mutable ClusterTable clusters;
  ExtraTable extras;
  std::size_t extras_rest = 0;  ///< interns refused before the next sweep is tried
  Tokenizer tokenizer;
  Utf8Decoder decoder;
  VtermAdapter vterm;
  EditRoute route = EditRoute::direct;

  bool joinable = false;  ///< `join` is where the last character went and nothing moved since
  Position join;
  bool roomless = false;    ///< the last character had no room: `join` is the one before it
  bool overran = false;     ///< this piece of text went past the last column, without autowrap
  char32_t repeatable = 0;  ///< the last graphic character, for REP
  std::uint32_t repeats_left = 0;
  bool printed = false;
  bool watch_lines = false;
  bool untold = false;  ///< rows were finished that `line_finished` was not called for
  Sequence first_untold = 0;
  Sequence finished_end = 0;  ///< the cursor's row after the last line feed
  Sequence reached = 0;       ///< the furthest row the cursor stood in when lines were looked at
  Edit current_edit = Edit::index;
  ScreenEvents* events = nullptr;
  std::uint64_t work = 0;
};

}  // namespace troupe::terminal
