// SPDX-License-Identifier: MIT
#include "client/attach/signal_source.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace troupe::client {

SignalSource::SignalSource(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : signals) {
    ::sigaddset(&set, number);
  }
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalSource::~SignalSource() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int SignalSource::take() const {
  signalfd_siginfo info{};
  return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

void SignalSource::act(int signal) {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  sigset_t blocked;
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &one, &blocked);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

}  // namespace troupe::client
