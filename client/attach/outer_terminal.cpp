// SPDX-License-Identifier: MIT
#include "client/attach/outer_terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

namespace troupe::client {
namespace {

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int leave_patience_ms = 1000;

/// What a crash handler and the helper process need. Lives in memory that both processes see; two
/// slots, so that a text is whole at any moment.
struct Undo {
  termios saved{};
  termios raw{};
  int fd = -1;
  std::atomic<unsigned> slot{0};
  std::atomic<bool> done{false};
  std::array<std::size_t, 2> sizes{};
  std::array<std::array<char, OuterTerminal::max_undo_bytes>, 2> texts{};
};

std::atomic<Undo*> active{nullptr};

void write_undo(const Undo& undo) {
  const unsigned slot = undo.slot.load();
  const char* at = undo.texts[slot].data();
  std::size_t left = undo.sizes[slot];
  while (left > 0) {
    const ssize_t count = ::write(undo.fd, at, left);
    if (count > 0) {
      at += count;
      left -= static_cast<std::size_t>(count);
      continue;
    }
    pollfd poll_fd{undo.fd, POLLOUT, 0};
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
      return;
    }
    if (::poll(&poll_fd, 1, leave_patience_ms) <= 0 || (poll_fd.revents & POLLOUT) == 0) {
      return;
    }
  }
}

/// Async-signal-safe.
extern "C" void on_crash(int signal_number) {
  Undo* const undo = active.exchange(nullptr);
  if (undo != nullptr) {
    undo->done.store(true);
    write_undo(*undo);
    ::tcsetattr(undo->fd, TCSANOW, &undo->saved);
  }
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

void install_crash_handlers() {
  static std::array<char, 16384> stack;  // the ordinary one may be what overflowed
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal_number : crash_signals) {
    ::sigaction(signal_number, &action, nullptr);
  }
}

/// The helper: waits for a byte (all is well) or for the end of the pipe (the attach is dead).
[[noreturn]] void guard_terminal(int pipe_fd, const Undo& undo) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  char word = 0;
  ssize_t count = 0;
  do {
    count = ::read(pipe_fd, &word, 1);
  } while (count < 0 && errno == EINTR);
  if (count == 0 && !undo.done.load()) {
    termios now{};
    write_undo(undo);
    // A shell that has its prompt back may have set modes of its own: leave those alone.
    if (::tcgetattr(undo.fd, &now) == 0 && now.c_lflag == undo.raw.c_lflag) {
      ::tcsetattr(undo.fd, TCSANOW, &undo.saved);
    }
  }
  ::_exit(0);
}

Undo* map_undo() {
  void* const page =
      ::mmap(nullptr, sizeof(Undo), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? nullptr : new (page) Undo;
}

Error errno_error(const char* what) {
  return Error{Code::io, std::string(what) + ": " + std::strerror(errno)};
}

}  // namespace

struct OuterTerminal::Guard {
  Undo* undo = nullptr;
  UniqueFd pipe;
  pid_t pid = -1;

  Guard() = default;
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() {
    active.store(nullptr);
    if (pipe) {
      const char word = '.';
      (void)!::write(pipe.get(), &word, 1);
      pipe.reset();
      ::waitpid(pid, nullptr, 0);
    }
    ::munmap(undo, sizeof(Undo));
  }

  /// Without a helper the crash handlers still work, so a failure here is none.
  void start_helper() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return;
    }
    UniqueFd reader{ends[0]};
    UniqueFd writer{ends[1]};
    pid = ::fork();
    if (pid == 0) {
      writer.reset();
      guard_terminal(reader.get(), *undo);
    }
    if (pid > 0) {
      pipe = std::move(writer);
    }
  }
};

OuterTerminal::OuterTerminal(UniqueFd fd, const termios& saved, std::unique_ptr<Guard> guard)
    : fd_(std::move(fd)), saved_(saved), guard_(std::move(guard)) {}
OuterTerminal::OuterTerminal(OuterTerminal&& other) noexcept = default;

OuterTerminal::~OuterTerminal() {
  leave();
}

Result<OuterTerminal> OuterTerminal::enter(int fd) {
  termios saved{};
  if (::tcgetattr(fd, &saved) != 0) {
    return Error{Code::io, "attach needs a terminal on standard input and output"};
  }
  std::array<char, 256> path{};
  UniqueFd own;
  if (::ttyname_r(fd, path.data(), path.size()) == 0) {
    own.reset(::open(path.data(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  }
  if (!own) {
    own.reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  }
  auto guard = std::make_unique<Guard>();
  guard->undo = map_undo();
  if (!own || guard->undo == nullptr) {
    return errno_error("cannot open the terminal");
  }
  termios raw = saved;
  ::cfmakeraw(&raw);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  guard->undo->saved = saved;
  guard->undo->raw = raw;
  guard->undo->fd = own.get();
  guard->start_helper();
  install_crash_handlers();
  active.store(guard->undo);
  if (::tcsetattr(own.get(), TCSADRAIN, &raw) != 0) {
    return errno_error("cannot put the terminal into raw mode");
  }
  return OuterTerminal{std::move(own), saved, std::move(guard)};
}

long OuterTerminal::write_some(std::string_view bytes) const {
  const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
  if (count >= 0) {
    return count;
  }
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

void OuterTerminal::set_undo(std::string_view bytes) {
  if (guard_ == nullptr || bytes.size() > max_undo_bytes) {
    return;
  }
  Undo& undo = *guard_->undo;
  const unsigned next = 1 - undo.slot.load();
  bytes.copy(undo.texts[next].data(), bytes.size());  // which may be none
  undo.sizes[next] = bytes.size();
  undo.slot.store(next);
}

void OuterTerminal::suspend(std::string_view undo) {
  if (guard_ == nullptr) {
    return;
  }
  set_undo(undo);
  write_undo(*guard_->undo);
  set_undo({});
  ::tcsetattr(fd_.get(), TCSADRAIN, &saved_);
}

void OuterTerminal::resume() const {
  if (guard_ != nullptr) {
    ::tcsetattr(fd_.get(), TCSADRAIN, &guard_->undo->raw);
  }
}

void OuterTerminal::leave() {
  if (guard_ == nullptr) {
    return;
  }
  write_undo(*guard_->undo);
  ::tcsetattr(fd_.get(), TCSAFLUSH, &saved_);
  guard_.reset();
}

WindowSize OuterTerminal::size() const {
  winsize size{};
  if (::ioctl(fd_.get(), TIOCGWINSZ, &size) != 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

}  // namespace troupe::client
