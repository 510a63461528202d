// SPDX-License-Identifier: MIT
#include "daemon_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace troupe::testing {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string make_directory() {
  std::string path = "/tmp/troupe-service-XXXXXX";
  REQUIRE(::mkdtemp(path.data()) != nullptr);
  return path;
}

pid_t start(const std::vector<std::string>& arguments, const std::string& out,
            const std::string& err) {
  std::vector<char*> argv{const_cast<char*>(TROUPED_PATH)};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    (void)::setsid();
    (void)::dup2(::open("/dev/null", O_RDONLY), 0);
    (void)::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 1);
    (void)::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return pid;
}

std::optional<int> reap(pid_t pid) {
  int status = 0;
  const bool ended = wait_until([&] { return ::waitpid(pid, &status, WNOHANG) == pid; });
  if (!ended) {
    return std::nullopt;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

bool wait_until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{3});
  }
  return true;
}

Finished run_trouped(const std::vector<std::string>& arguments) {
  std::string const directory = make_directory();
  const pid_t pid = start(arguments, directory + "/out", directory + "/err");
  Finished result;
  result.status = reap(pid).value_or(-1);
  result.out = read_file(directory + "/out");
  result.err = read_file(directory + "/err");
  std::filesystem::remove_all(directory);
  return result;
}

DaemonProcess::DaemonProcess(Kind kind, const std::vector<std::string>& extra)
    : root_(make_directory()), directory_(root_ + "/main") {
  std::vector<std::string> arguments{"--name", "main", "--runtime-dir", root_};
  arguments.emplace_back(kind == Kind::standalone ? "--standalone" : "daemon");
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  pid_ = start(arguments, root_ + "/out", root_ + "/err");
  REQUIRE(wait_until([&] {
    auto loaded = registration::load_registration(directory_);
    if (loaded) {
      registration_ = *loaded;
    }
    return static_cast<bool>(loaded);
  }));
}

DaemonProcess::~DaemonProcess() {
  if (pid_ > 0) {
    (void)::kill(pid_, SIGTERM);
    if (!wait_exit()) {
      (void)::kill(pid_, SIGKILL);
      (void)::waitpid(pid_, nullptr, 0);
    }
  }
  std::filesystem::remove_all(root_);
}

void DaemonProcess::signal(int number) const {
  REQUIRE(::kill(pid_, number) == 0);
}

std::optional<int> DaemonProcess::wait_exit() {
  const std::optional<int> status = reap(pid_);
  if (status) {
    pid_ = -1;
  }
  return status;
}

std::string DaemonProcess::printed() const {
  return read_file(root_ + "/out") + read_file(root_ + "/err");
}

}  // namespace troupe::testing
