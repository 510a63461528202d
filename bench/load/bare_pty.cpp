// SPDX-License-Identifier: MIT
#include "bench/load/bare_pty.hpp"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/load/failure.hpp"

namespace troupe::bench {
namespace {

constexpr std::size_t read_bytes = 64 * 1024;

std::vector<char*> argument_pointers(std::vector<std::string>& command) {
  std::vector<char*> pointers;
  pointers.reserve(command.size() + 1);
  for (std::string& argument : command) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

BarePty::BarePty(const std::vector<std::string>& command) {
  std::vector<std::string> copy = command;
  const std::vector<char*> arguments = argument_pointers(copy);
  std::array<int, 2> exec_pipe{};
  if (::pipe2(exec_pipe.data(), O_CLOEXEC) != 0) {
    throw_errno("pipe2");
  }
  const UniqueFd read_end(exec_pipe[0]);
  UniqueFd write_end(exec_pipe[1]);
  const winsize size{24, 80, 0, 0};
  int master = -1;
  pid_ = ::forkpty(&master, nullptr, nullptr, &size);
  if (pid_ < 0) {
    throw_errno("forkpty");
  }
  if (pid_ == 0) {
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  master_.reset(master);
  write_end.reset();
  char byte = 0;
  // The write end closes with the child's exec.
  if (::read(read_end.get(), &byte, 1) != 0) {
    throw_errno("wait for exec");
  }
}

BarePty::~BarePty() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  if (reader_.joinable()) {
    reader_.join();
  }
}

void BarePty::drain() {
  reader_ = std::thread([this] { drain_loop(); });
}

void BarePty::drain_loop() {
  static constexpr std::string_view question = "\x1b[5n";
  static constexpr std::string_view answer = "\x1b[0n";
  std::vector<char> buffer(read_bytes);
  std::string tail;  // the end of what was read, because a read can cut the question
  while (true) {
    const ssize_t got = ::read(master_.get(), buffer.data(), buffer.size());
    if (got <= 0) {
      return;
    }
    const auto count = static_cast<std::size_t>(got);
    const std::size_t kept = std::min(count, question.size());
    tail.append(buffer.data() + count - kept, kept);
    tail.erase(0, tail.size() - std::min(tail.size(), question.size()));
    if (tail == question && ::write(master_.get(), answer.data(), answer.size()) < 0) {
      return;
    }
  }
}

}  // namespace troupe::bench
