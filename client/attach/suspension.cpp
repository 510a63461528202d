// SPDX-License-Identifier: MIT
#include "client/attach/suspension.hpp"

#include <signal.h>

#include "client/attach/signal_source.hpp"

namespace troupe::client {

std::string stop_and_come_back(OuterTerminal& outer, Painter& painter) {
  std::string undo;
  painter.suspend(undo);
  outer.suspend(undo);
  SignalSource::act(SIGTSTP);
  outer.resume();
  std::string taken;
  painter.resume(outer.size(), taken);
  return taken;
}

}  // namespace troupe::client
