// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What an attach writes to the person's terminal: the first view, repaints, live output, titles,
/// and the hint that names the key. Makes bytes; writes nothing itself.

#include <string>
#include <string_view>

#include "client/attach/detach_key.hpp"
#include "client/attach/outer_terminal.hpp"
#include "client/attach/output_filter.hpp"
#include "protocol/terminal_info.hpp"

namespace troupe::client {

/// Every function appends what is to be written to `out`.
///
/// Invariants: C-6: what stood in the window before the attach is scrolled away, never erased.
class Painter {
 public:
  /// Names the key in a line that scrolls away with what stood in the window, and in the title.
  void begin(const protocol::TerminalInfo& info, WindowSize window, DetachKey key, bool controlling,
             std::string& out);
  /// Puts the window back to what it was, for a while in which this process is stopped.
  void suspend(std::string& out);
  /// Takes the window again; what stands in it is scrolled away. A repaint has to follow.
  void resume(WindowSize window, std::string& out);
  /// Undoes all modes, clears, and shows a checkpoint, with the notice on the last row.
  void repaint(std::string_view checkpoint, std::string& out);
  /// Names the key on the last row where that is blank, until a key is pressed.
  void hint(std::string_view text, std::string& out);
  void clear_hint(std::string& out);
  void output(std::string_view bytes, std::string& out);
  void title(std::string_view title, std::string& out);
  /// A line that every repaint puts over the last row, until it is empty again. Only a repaint
  /// draws it: between two pieces of output it might end up inside a picture.
  void notice(std::string text) { notice_ = std::move(text); }
  /// What the window's title says beside the terminal's, until it is empty again.
  void remark(std::string text, std::string& out);

  void window_changed(WindowSize window) { window_ = window; }
  void terminal_resized(WindowSize terminal) { terminal_ = terminal; }
  [[nodiscard]] const OuterModes& modes() { return filter_.modes(); }

 private:
  void take_window(std::string& out);
  void draw_notice(std::string& out) const;

  OutputFilter filter_;
  WindowSize window_;
  WindowSize terminal_;
  std::string hint_text_;
  std::string notice_;
  std::string title_;
  std::string remark_;
  bool hint_shown_ = false;
};

/// `text` without control characters, at most `max_bytes` long: safe to print to a terminal.
std::string printable(std::string_view text, std::size_t max_bytes);

}  // namespace troupe::client
