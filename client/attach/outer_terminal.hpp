// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The person's own terminal while `attach` runs in it: raw mode, size, writing, and coming back to
/// what it was, also when this process crashes or is killed.

#include <termios.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace troupe::client {

struct WindowSize {
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
  bool operator==(const WindowSize&) const = default;
};

/// Owns the raw mode of one terminal. At most one lives in a process.
///
/// Ownership: an open file description of its own, non-blocking, so that nothing changes for the
///   other users of the terminal. It is restored by `leave`, by the destructor, by the handlers of
///   SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, and after SIGKILL by a helper process.
/// Bounds: the undo text is at most `max_undo_bytes`; a longer one is refused and the older stays.
class OuterTerminal {
 public:
  static constexpr std::size_t max_undo_bytes = 2048;

  /// Puts the terminal behind `fd` into raw mode; `io` where it is none.
  static Result<OuterTerminal> enter(int fd);
  OuterTerminal(OuterTerminal&& other) noexcept;
  OuterTerminal& operator=(OuterTerminal&&) = delete;
  OuterTerminal(const OuterTerminal&) = delete;
  OuterTerminal& operator=(const OuterTerminal&) = delete;
  ~OuterTerminal();

  /// Writes what the terminal takes now. Returns the number of bytes, or -1 once it is gone.
  [[nodiscard]] long write_some(std::string_view bytes) const;
  /// What has to be written to undo everything that was forwarded so far.
  void set_undo(std::string_view bytes);
  /// Writes `undo` and ends raw mode until `resume`; a death meanwhile has nothing to undo. Waits
  /// at most a second for a stuck terminal.
  void suspend(std::string_view undo);
  /// Raw mode again, after a shell stopped and continued this process.
  void resume() const;
  /// Writes the undo text and ends raw mode, once; waits at most a second for a stuck terminal.
  void leave();

  [[nodiscard]] WindowSize size() const;
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  struct Guard;
  OuterTerminal(UniqueFd fd, const termios& saved, std::unique_ptr<Guard> guard);

  UniqueFd fd_;
  termios saved_{};
  std::unique_ptr<Guard> guard_;  ///< null once left
};

}  // namespace troupe::client
