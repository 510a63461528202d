// SPDX-License-Identifier: MIT
#include "pty/child.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace troupe::pty {

namespace {

// Debian 12's headers name it in an enum only with newer glibc.
constexpr auto p_pidfd = static_cast<idtype_t>(3);

ExitStatus to_status(const siginfo_t& info) {
  ExitStatus status;
  (info.si_code == CLD_EXITED ? status.exit_code : status.signal) = info.si_status;
  return status;
}

}  // namespace

int send_signal(int pidfd, int number) {
  return ::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0U) == 0 ? 0 : errno;
}

std::shared_ptr<Child> Child::watch(boost::asio::io_context& io, UniqueFd pidfd, int pid) {
  auto child = std::make_shared<Child>(io, std::move(pidfd), pid);
  child->wait();
  return child;
}

Child::Child(boost::asio::io_context& io, UniqueFd pidfd, int pid)
    : pid_(pid), pidfd_(io, pidfd.release()) {}

Child::~Child() {
  if (!reaped_) {
    siginfo_t info{};
    ::waitid(p_pidfd, static_cast<id_t>(pidfd_.native_handle()), &info, WEXITED | WNOHANG);
  }
}

void Child::wait() {
  pidfd_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      if (!error && !self->poll()) {
                        self->wait();
                      }
                    });
}

void Child::on_exit(std::function<void(ExitStatus)> callback) {
  if (status_) {
    callback(*status_);
  } else {
    callbacks_.push_back(std::move(callback));
  }
}

bool Child::poll() {
  if (status_) {
    return true;
  }
  siginfo_t info{};
  const auto id = static_cast<id_t>(pidfd_.native_handle());
  if (::waitid(p_pidfd, id, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0) {
    return false;
  }
  // Without a status (somebody else reaped it) it is as dead, with nothing known.
  status_ = info.si_pid != 0 ? to_status(info) : ExitStatus{};
  const auto self = shared_from_this();
  pidfd_.cancel();
  reap_if_allowed();
  for (const auto& callback : std::exchange(callbacks_, {})) {
    callback(*status_);
  }
  return true;
}

int Child::send(int number) {
  return status_ ? ESRCH : send_signal(pidfd_.native_handle(), number);
}

void Child::allow_reap() {
  may_reap_ = true;
  reap_if_allowed();
}

void Child::reap_if_allowed() {
  if (may_reap_ && status_ && !std::exchange(reaped_, true)) {
    siginfo_t info{};
    ::waitid(p_pidfd, static_cast<id_t>(pidfd_.native_handle()), &info, WEXITED | WNOHANG);
    boost::system::error_code ignored;
    pidfd_.close(ignored);
  }
}

}  // namespace troupe::pty
