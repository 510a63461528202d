// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Signals as something to wait for, so that a program that holds a terminal can put it in order
/// before it ends.

#include <signal.h>

#include <initializer_list>

#include "base/unique_fd.hpp"

namespace troupe::client {

/// Blocks some signals and gives them through a descriptor. The old mask comes back at its end.
///
/// Threads: for programs of one thread.
class SignalSource {
 public:
  explicit SignalSource(std::initializer_list<int> signals);
  SignalSource(const SignalSource&) = delete;
  SignalSource& operator=(const SignalSource&) = delete;
  ~SignalSource();

  /// Readable while a signal waits; non-blocking.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// The next signal, or 0.
  [[nodiscard]] int take() const;
  /// Lets a signal that was taken do what it does by default: SIGTSTP stops the process here, until
  /// somebody continues it (at once, where nobody could).
  static void act(int signal);

 private:
  sigset_t before_{};
  UniqueFd fd_;
};

}  // namespace troupe::client
