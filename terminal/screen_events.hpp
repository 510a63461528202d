// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the screen tells its owner while it consumes bytes, in stream order.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.hpp"

namespace troupe::terminal {

/// Receiver of what happens inside a `feed`. Called synchronously; the cursor and all rows are
/// exact at each call. Must not call back into mutating functions of the screen.
class ScreenEvents {
 public:
  virtual ~ScreenEvents() = default;

  /// A complete OSC 133 or 633 (terminator seen; also through tmux's DCS passthrough).
  /// `payload` is what stands between `ESC ]` and the terminator, e.g. "133;D;0". `begin` is the
  /// offset of the introducing ESC, `end` the offset one past the terminator.
  /// `printed` tells whether a printable character was consumed since the previous mark.
  virtual void mark(std::string_view payload, StreamOffset begin, StreamOffset end,
                    bool printed) = 0;
  /// OSC 0 or 2 with valid UTF-8; empty means unset. `end` is the offset one past the terminator.
  virtual void title(std::string_view text, StreamOffset end) = 0;
  /// OSC 7's URL payload, as sent.
  virtual void working_directory(std::string_view url) = 0;
  /// The answer to a query; its bytes go to the PTY in order.
  virtual void reply(std::string_view bytes) = 0;
  virtual void bell() = 0;
  /// The cursor left rows by hard line feeds, they are finished. Told before anything but text can
  /// change them, for at most `max_lines_at_once` rows together, and at the end of a feed. A row
  /// that the cursor had passed before is told of by itself, at its line feed. Only called while
  /// `Screen::watch_lines(true)`.
  virtual void line_finished() = 0;
  static constexpr std::size_t max_lines_at_once = 256;
};

}  // namespace troupe::terminal
