// SPDX-License-Identifier: MIT
#include "client/daemon_start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/environment.hpp"
#include "base/unique_fd.hpp"

namespace troupe::client {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds slow_after{1000};
constexpr std::size_t max_shown_error_bytes = 4096;

Error errno_error(const std::string& what) {
  return Error{Code::io, what + ": " + std::strerror(errno)};
}

UniqueFd open_pidfd(pid_t pid) {
  return UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
}

/// A started daemon until it answers: its exit as an event, and what it said on stderr.
struct Started {
  UniqueFd pidfd;
  UniqueFd log;

  [[nodiscard]] bool has_ended() const {
    pollfd end{pidfd.get(), POLLIN, 0};
    return pidfd && ::poll(&end, 1, 0) > 0;
  }

  [[nodiscard]] std::string said() const {
    std::string text(max_shown_error_bytes, '\0');
    const ssize_t count = ::pread(log.get(), text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    while (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return text;
  }
};

[[noreturn]] void become_daemon(char* const* arguments, int log_fd) {
  ::setsid();
  const int null_fd = ::open("/dev/null", O_RDWR);
  ::dup2(null_fd, 0);
  ::dup2(null_fd, 1);
  ::dup2(log_fd, 2);
  if (::chdir("/") != 0) {
    ::_exit(127);
  }
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvp(arguments[0], arguments);
  constexpr std::string_view text = "cannot be started (is trouped installed?)";
  (void)!::write(2, text.data(), text.size());
  ::_exit(127);
}

/// Two ends of one pipe.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return errno_error("cannot prepare the daemon's start");
  }
  return Pipe{UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

/// The process between this one and the daemon: tells the daemon's id and ends, so that the daemon
/// is no child of a program that may live as long as it and would have to reap it.
[[noreturn]] void fork_daemon(char* const* arguments, int log_fd, Pipe& told, Pipe& go) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Until it is watched it must not end: its id could be another's by then.
    told.write.reset();
    go.write.reset();
    char byte = 0;
    if (::read(go.read.get(), &byte, 1) != 1) {
      ::_exit(127);
    }
    become_daemon(arguments, log_fd);
  }
  (void)!::write(told.write.get(), &pid, sizeof pid);
  ::_exit(0);
}

Result<Started> spawn(const std::vector<std::string>& command) {
  Started daemon;
  // The daemon keeps this as its stderr. Once it answers, the file can grow no more.
  daemon.log.reset(::memfd_create("trouped-stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!daemon.log) {
    return errno_error("cannot prepare the daemon's start");
  }
  Result<Pipe> told = open_pipe();
  Result<Pipe> go = open_pipe();
  if (!told || !go) {
    return told ? go.error() : told.error();
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  const pid_t between = ::fork();
  if (between < 0) {
    return errno_error("cannot start the daemon");
  }
  if (between == 0) {
    fork_daemon(arguments.data(), daemon.log.get(), *told, *go);
  }
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  told->write.reset();
  pid_t pid = -1;
  if (::read(told->read.get(), &pid, sizeof pid) != sizeof pid || pid < 0) {
    return Error{Code::io, "cannot start the daemon: no process can be made"};
  }
  daemon.pidfd = open_pidfd(pid);
  (void)!::write(go->write.get(), "!", 1);
  return daemon;
}

/// Watches a runtime directory that may not exist yet, and its parent.
class RegistrationWatch {
 public:
  static Result<RegistrationWatch> begin(const fs::path& directory) {
    std::error_code error;
    fs::create_directories(directory.parent_path(), error);
    RegistrationWatch watch;
    watch.directory_ = directory;
    watch.fd_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!watch.fd_ || ::inotify_add_watch(watch.fd_.get(), directory.parent_path().c_str(),
                                          IN_CREATE | IN_MOVED_TO) < 0) {
      return errno_error("cannot watch " + directory.parent_path().string());
    }
    watch.follow();
    return watch;
  }

  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Takes the events and watches the directory itself once it is there.
  void follow() {
    alignas(inotify_event) std::array<char, 4096> events;
    while (::read(fd_.get(), events.data(), events.size()) > 0) {
    }
    (void)::inotify_add_watch(fd_.get(), directory_.c_str(),
                              IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE);
  }

 private:
  fs::path directory_;
  UniqueFd fd_;
};

int left_ms(Deadline deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::min<long long>(left, 60'000));
}

/// Waits for the next event of the watch or the daemon. False at the deadline.
bool wait_event(const RegistrationWatch& watch, const UniqueFd& pidfd, Deadline deadline) {
  std::array<pollfd, 2> fds{pollfd{watch.fd(), POLLIN, 0}, pollfd{pidfd.get(), POLLIN, 0}};
  const int wait_ms = left_ms(deadline);
  return wait_ms > 0 && ::poll(fds.data(), fds.size(), wait_ms) != 0;
}

Error start_failed(const Started& daemon, const std::vector<std::string>& command) {
  const std::string said = daemon.said();
  return Error{Code::io, command[0] + (said.empty() ? ": the daemon ended at once" : ": " + said)};
}

}  // namespace

std::string daemon_program() {
  if (const auto chosen = environment_value("TROUPE_DAEMON")) {
    return *chosen;
  }
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  // Installed side by side, or in the build tree one folder beside the other.
  for (const fs::path& candidate :
       {self.parent_path() / "trouped", self.parent_path() / "../daemon/trouped"}) {
    if (!error && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate.lexically_normal().string();
    }
  }
  return "trouped";
}

Result<Client> find_or_start(const DaemonAddress& address, const StartOptions& options) {
  Result<Client> running = Client::open(address);
  if (running || (running.error().code != Code::not_found && running.error().code != Code::io)) {
    return running;
  }
  const Result<std::string> directory = registration::runtime_directory(address.root, address.name);
  if (!directory) {
    return directory.error();
  }
  std::error_code error;
  const fs::path whole = fs::absolute(*directory, error);
  if (error) {
    return Error{Code::io, *directory + " is nowhere: the working directory is gone"};
  }
  Result<RegistrationWatch> watch = RegistrationWatch::begin(whole);
  if (!watch) {
    return watch.error();
  }
  std::vector<std::string> command = options.command;
  if (command.empty()) {
    command = {daemon_program(), "--standalone", "--name", address.name};
    if (!address.root.empty()) {
      command.insert(command.end(), {"--runtime-dir", fs::absolute(address.root).string()});
    }
  }
  Result<Started> daemon = spawn(command);
  if (!daemon) {
    return daemon.error();
  }
  const Deadline deadline = after(options.patience);
  Deadline slow = after(slow_after);
  bool told = false;
  while (true) {
    Result<Client> client = Client::open(address);
    if (client) {
      ::fcntl(daemon->log.get(), F_ADD_SEALS, F_SEAL_GROW);
      return client;
    }
    if (daemon->has_ended()) {
      daemon->pidfd.reset();
      // It may have lost a race against another start; then that one's registration will come.
      if (daemon->said().find("already") == std::string::npos) {
        return start_failed(*daemon, command);
      }
    }
    if (!wait_event(*watch, daemon->pidfd, told ? deadline : std::min(slow, deadline))) {
      if (Clock::now() >= deadline) {
        return Error{Code::timeout, "the daemon did not become ready in time"};
      }
      if (!told && options.on_slow) {
        options.on_slow();
      }
      told = true;
    }
    watch->follow();
  }
}

Result<> wait_process_end(int pid, Deadline deadline) {
  const UniqueFd pidfd = open_pidfd(pid);
  if (!pidfd) {
    return errno == ESRCH ? success() : Result<>{errno_error("cannot watch the daemon")};
  }
  pollfd poll_fd{pidfd.get(), POLLIN, 0};
  while (true) {
    const int wait_ms = left_ms(deadline);
    if (wait_ms == 0) {
      return Error{Code::timeout, "the daemon is still running"};
    }
    if (::poll(&poll_fd, 1, wait_ms) > 0) {
      return success();
    }
  }
}

}  // namespace troupe::client
