// SPDX-License-Identifier: MIT
#include "pty/spawn.hpp"

#include <linux/close_range.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/process/v2/posix/vfork_launcher.hpp>
#include <boost/process/v2/process.hpp>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "pty/pty_device.hpp"

namespace troupe::pty {

namespace {

namespace process = boost::process::v2;

/// What the child does between vfork and exec.
///
/// It runs in the daemon's memory with its own descriptors, signals and limits: only system calls,
/// nothing is allocated, nothing is written but locals.
class PtyInitialiser {
 public:
  PtyInitialiser(int slave, const char* cwd, std::uint64_t open_files, volatile int& error)
      : slave_(slave), cwd_(cwd), open_files_(open_files), error_(&error) {}

  template <class Launcher>
  process::error_code on_exec_setup(Launcher& /*launcher*/,
                                    const process::filesystem::path& /*executable*/,
                                    const char* const* /*argv*/) {
    if (take_terminal() && enter_directory() && limit_files()) {
      reset_signals();
      return {};
    }
    // The launcher reports errno; this only says that it is set.
    return process::error_code(errno, boost::system::system_category());
  }

  /// Tells the parent, through the shared memory. Not by the launcher's error_code: the compiler
  /// may keep that in a register across vfork. `_exit`, not `exit`, which the launcher would call:
  /// it runs the daemon's atexit handlers.
  template <class Launcher>
  void on_exec_error(Launcher& /*launcher*/, const process::filesystem::path& /*executable*/,
                     const char* const* /*argv*/, const process::error_code& error) {
    *error_ = error.value();
    ::_exit(127);
  }
  /// Never called: Boost 1.81 looks for this signature and then calls the one above.
  template <class Launcher>
  void on_exec_error(Launcher& launcher, const process::error_code& /*unused*/,
                     const process::filesystem::path& executable, const char* const* argv,
                     const process::error_code& error) {
    on_exec_error(launcher, executable, argv, error);
  }

 private:
  bool take_terminal() const {
    return ::setsid() != -1 && ::ioctl(slave_, TIOCSCTTY, 0) == 0 &&
           ::dup2(slave_, STDIN_FILENO) != -1 && ::dup2(slave_, STDOUT_FILENO) != -1 &&
           ::dup2(slave_, STDERR_FILENO) != -1 &&
           ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
  }

  bool enter_directory() const { return ::chdir(cwd_) == 0 || ::chdir("/") == 0; }

  bool limit_files() const {
    rlimit limit{};
    if (open_files_ == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
      return true;
    }
    limit.rlim_cur = open_files_ < limit.rlim_max ? open_files_ : limit.rlim_max;
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
  }

  // exec resets what is caught and keeps what is ignored or blocked.
  static void reset_signals() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) {
      ::sigaction(number, &standard, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  }

  int slave_;
  const char* cwd_;
  std::uint64_t open_files_;
  volatile int* error_;
};

bool is_usable_directory(const std::string& path) {
  struct stat status {};
  return path.starts_with('/') && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

std::string working_directory(const std::string& asked, const Environment& env) {
  if (is_usable_directory(asked)) {
    return asked;
  }
  const auto home = env.find("HOME");
  return home != env.end() && is_usable_directory(home->second) ? home->second : "/";
}

/// The file to execute, or the errno that says why there is none.
struct Executable {
  std::string path;
  int error = ENOENT;
};

Executable find_executable(const std::vector<std::string>& candidates) {
  Executable result;
  for (const auto& candidate : candidates) {
    struct stat status {};
    int error = 0;
    if (::stat(candidate.c_str(), &status) != 0 || ::access(candidate.c_str(), X_OK) != 0) {
      error = errno;
    } else if (!S_ISREG(status.st_mode)) {
      error = EACCES;
    }
    if (error == 0) {
      return {candidate, 0};
    }
    // Like execvp: a file that may not be executed is told rather than that there is none.
    if (error != ENOENT && error != ENOTDIR) {
      result.error = error;
    }
  }
  if (candidates.size() == 1 && result.error == ENOENT) {
    errno = 0;
    result.error = ::access(candidates.front().c_str(), X_OK) != 0 ? errno : ENOENT;
  }
  return result;
}

/// argv or envp: pointers into strings that must stay.
std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> result;
  result.reserve(strings.size() + 1);
  for (const auto& text : strings) {
    result.push_back(text.c_str());
  }
  result.push_back(nullptr);
  return result;
}

struct Image {
  std::string path;
  std::vector<std::string> argv;
  std::vector<std::string> envp;
  std::string cwd;
};

/// What is executed, or the errno of why nothing can be.
struct Composed {
  Image image;
  int error = 0;
};

Composed compose(const LaunchSpec& spec, const Environment& base) {
  Composed result;
  Image& image = result.image;
  const auto env = child_environment(base, spec);
  image.cwd = working_directory(spec.cwd, env);
  auto executable = find_executable(executable_candidates(spec.program, env, image.cwd));
  result.error = executable.error;
  image.path = std::move(executable.path);
  image.argv.push_back(spec.program);
  image.argv.insert(image.argv.end(), spec.args.begin(), spec.args.end());
  for (const auto& [name, value] : env) {
    image.envp.push_back(name + '=' + value);
  }
  return result;
}

/// Of a child that is dead or about to be.
void reap(int pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// vfork and exec. Returns 0 and the pid, or the errno.
int launch(const Image& image, const PtyPair& pair, std::uint64_t open_files, int& pid) {
  volatile int exec_error = 0;
  PtyInitialiser initialiser(pair.slave.get(), image.cwd.c_str(), open_files, exec_error);
  auto argv = pointers(image.argv);
  const auto envp = pointers(image.envp);
  // The launcher calls notify_fork on the context of its executor, in the child too, where it
  // would act on shared memory: so one context for each launch, which owns nothing.
  boost::asio::io_context context(1);
  process::posix::vfork_launcher launcher;
  launcher.env = envp.data();
  process::error_code error;
  try {
    auto child = launcher(context.get_executor(), error, process::filesystem::path(image.path),
                          argv.data(), initialiser);
    child.detach();
  } catch (const std::exception&) {
    // The handle that is dropped anyway could not be made (out of descriptors): so could ours.
    error.assign(EMFILE, boost::system::system_category());
    if (launcher.pid > 0) {
      ::kill(launcher.pid, SIGKILL);
    }
  }
  pid = launcher.pid;
  const int failure = exec_error != 0 ? exec_error : error.value();
  if (failure != 0 && pid > 0) {
    reap(pid);
  }
  return failure;
}

}  // namespace

SpawnedChild::~SpawnedChild() {
  if (pidfd) {
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
    master.reset();
    reap(pid);
  }
}

Result<SpawnedChild> spawn(const LaunchSpec& spec, const SpawnDefaults& defaults) {
  if (auto valid = validate(spec); !valid) {
    return valid.error();
  }
  const auto failed = [&](int error) {
    return system_error("failed to spawn " + spec.program, error);
  };
  auto [image, missing] = compose(spec, defaults.environment);
  if (missing != 0) {
    return failed(missing);
  }
  auto pair = open_pty(spec.size);
  if (!pair) {
    return pair.error();
  }
  SpawnedChild child;
  int error = launch(image, *pair, defaults.open_files, child.pid);
  if (error == ENOEXEC) {
    // A script without "#!" is the shell's, as execvp has it.
    image.argv.front() = image.path;
    image.argv.insert(image.argv.begin(), "sh");
    image.path = "/bin/sh";
    error = launch(image, *pair, defaults.open_files, child.pid);
  }
  if (error != 0) {
    return failed(error);
  }
  child.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0U)));
  if (!child.pidfd) {
    const int reason = errno;
    ::kill(child.pid, SIGKILL);
    reap(child.pid);
    return failed(reason);
  }
  child.master = std::move(pair->master);
  child.tty_path = std::move(pair->slave_path);
  return child;
}

}  // namespace troupe::pty
