// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How long a notice lies over the last row of the person's window: it hides a row of the program,
/// so it goes by itself. The window's title says the same for longer.

#include <chrono>
#include <optional>
#include <string>

#include "client/attach/painter.hpp"
#include "client/connection.hpp"

namespace troupe::client {

/// The painter's notice, with its end. A repaint has to follow wherever one begins or ends.
///
/// Ownership: borrows the painter.
class Notice {
 public:
  static constexpr std::chrono::milliseconds shown_for{10'000};

  explicit Notice(Painter& painter) : painter_(painter) {}

  /// In the place of one that is shown, and for its whole time anew.
  void show(std::string what, Deadline now);
  /// False where none was shown.
  bool end();
  /// Ends it where its time is over; false where nothing changed.
  bool end_when_over(Deadline now);
  /// How long a `poll` may sleep, so that the end is not missed; -1: for ever.
  [[nodiscard]] int poll_timeout_ms(Deadline now) const;

 private:
  Painter& painter_;
  std::optional<Deadline> until_;  ///< while one is shown
};

}  // namespace troupe::client
