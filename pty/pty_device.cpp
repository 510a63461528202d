// SPDX-License-Identifier: MIT
#include "pty/pty_device.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace troupe::pty {

Error system_error(const std::string& what, int errno_value) {
  return {Code::io, what + ": " + std::generic_category().message(errno_value)};
}

Result<PtyPair> open_pty(WindowSize size) {
  const auto failed = [] { return system_error("cannot open a terminal", errno); };
  PtyPair pair;
  pair.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  int unlocked = 0;
  unsigned number = 0;
  if (!pair.master || ::ioctl(pair.master.get(), TIOCSPTLCK, &unlocked) != 0 ||
      ::ioctl(pair.master.get(), TIOCGPTN, &number) != 0) {
    return failed();
  }
  pair.slave.reset(::ioctl(pair.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.slave) {
    return failed();
  }
  pair.slave_path = "/dev/pts/" + std::to_string(number);
  if (auto sized = set_window_size(pair.master.get(), size); !sized) {
    return sized.error();
  }
  return pair;
}

Result<> set_window_size(int master, WindowSize size) {
  if (size.cols == 0 || size.rows == 0) {
    return Error{Code::bad_request, "terminal dimensions must be positive"};
  }
  const winsize value{.ws_row = size.rows, .ws_col = size.cols, .ws_xpixel = 0, .ws_ypixel = 0};
  if (::ioctl(master, TIOCSWINSZ, &value) != 0) {
    return system_error("cannot resize the terminal", errno);
  }
  return success();
}

std::optional<LineState> line_state_of(int master) {
  termios state{};
  if (::tcgetattr(master, &state) != 0) {
    return std::nullopt;
  }
  return LineState{.echo = (state.c_lflag & ECHO) != 0, .canonical = (state.c_lflag & ICANON) != 0};
}

std::optional<int> foreground_group_of(int master) {
  // Not tcgetpgrp: on a master TIOCGPGRP answers for the slave without being our terminal.
  int group = 0;
  if (::ioctl(master, TIOCGPGRP, &group) != 0 || group <= 0) {
    return std::nullopt;
  }
  return group;
}

bool slave_is_open(int master) {
  pollfd state{.fd = master, .events = 0, .revents = 0};
  return ::poll(&state, 1, 0) == 0 || (state.revents & POLLHUP) == 0;
}

}  // namespace troupe::pty
