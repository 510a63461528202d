// SPDX-License-Identifier: MIT
#include "tests/support/pty_child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace troupe::test {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{60};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& relative, std::string_view content) const {
  const std::filesystem::path path = std::filesystem::path(path_) / relative;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

std::string TemporaryDirectory::read(const std::string& relative) const {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(path_) / relative, std::ios::binary).rdbuf();
  return text.str();
}

PtyChild::PtyChild(const ChildSpec& spec) {
  std::vector<std::string> argv{spec.program};
  argv.insert(argv.end(), spec.args.begin(), spec.args.end());
  std::vector<std::string> envp;
  for (const auto& [name, value] : spec.env) {
    envp.push_back(name + "=" + value);
  }
  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> envp_pointers = pointers(envp);
  winsize size{24, 80, 0, 0};
  int master = -1;
  pid_ = ::forkpty(&master, nullptr, nullptr, &size);
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    if (::chdir(spec.cwd.c_str()) == 0) {
      ::execvpe(spec.program.c_str(), argv_pointers.data(), envp_pointers.data());
    }
    ::_exit(127);
  }
  master_.reset(master);
  ::fcntl(master, F_SETFD, FD_CLOEXEC);
}

PtyChild::~PtyChild() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    master_.reset();
    ::waitpid(pid_, nullptr, 0);
  }
}

void PtyChild::type(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(master_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    REQUIRE(count > 0);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool PtyChild::read_some() {
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(master_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    output_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }
}

void PtyChild::wait_until(const std::function<bool(const std::string&)>& done,
                          std::string_view what) {
  const Clock::time_point deadline = Clock::now() + patience;
  while (!done(output_)) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waiting{master_.get(), POLLIN, 0};
    const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0 || !read_some()) {
      FAIL("no " << what << " in: " << output_);
    }
  }
}

void PtyChild::wait_asleep() const {
  const std::string path = "/proc/" + std::to_string(pid_) + "/stat";
  const Clock::time_point deadline = Clock::now() + patience;
  for (;;) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string stat = text.str();
    const std::size_t state = stat.rfind(") ");
    REQUIRE(state != std::string::npos);
    if (stat[state + 2] == 'S') {
      return;
    }
    REQUIRE(Clock::now() < deadline);
    ::poll(nullptr, 0, 1);
  }
}

int PtyChild::wait_end() {
  while (read_some()) {
  }
  int status = 0;
  REQUIRE(::waitpid(pid_, &status, 0) == pid_);
  pid_ = -1;
  return status;
}

}  // namespace troupe::test
