// SPDX-License-Identifier: MIT
#include "pty/process_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <unordered_set>
#include <utility>

#include "base/unique_fd.hpp"

namespace troupe::pty {

namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

std::optional<int> parse_pid(std::string_view text) {
  int pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && pid > 0 ? std::optional<int>{pid} : std::nullopt;
}

// Takes the next blank-separated field as a number.
template <class T>
bool next_number(std::string_view& text, T& value) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    return false;
  }
  text.remove_prefix(begin);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<ProcessInfo> read_stat(int directory, const std::string& path) {
  const UniqueFd fd(::openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer{};
  const auto count = fd ? ::read(fd.get(), buffer.data(), buffer.size()) : -1;
  if (count <= 0) {
    return std::nullopt;
  }
  return parse_stat({buffer.data(), static_cast<std::size_t>(count)});
}

}  // namespace

std::optional<ProcessInfo> parse_stat(std::string_view text) {
  // "PID (NAME) STATE PPID PGRP SESSION TTY TPGID …": the name ends at the *last* parenthesis.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      open < 2 || close + 3 >= text.size()) {
    return std::nullopt;
  }
  ProcessInfo info;
  const auto pid = parse_pid(text.substr(0, open - 1));
  info.name = text.substr(open + 1, close - open - 1);
  info.state = text[close + 2];
  auto rest = text.substr(close + 3);
  bool good = pid.has_value() && next_number(rest, info.parent) && next_number(rest, info.group) &&
              next_number(rest, info.session) && next_number(rest, info.tty) &&
              next_number(rest, info.foreground_group);
  // Of what follows only 20 (threads) and 22 (start time) are of interest. Field 9 (flags) and
  // others can exceed 63 bits in theory only.
  std::int64_t number = 0;
  for (int field = 9; good && field <= 21; ++field) {
    good = next_number(rest, number);
    if (field == 20) {
      info.threads = static_cast<int>(number);
    }
  }
  good = good && next_number(rest, info.start_time);
  if (!good) {
    return std::nullopt;
  }
  info.pid = *pid;
  return info;
}

std::optional<ProcessInfo> read_process(int pid) {
  return read_stat(AT_FDCWD, "/proc/" + std::to_string(pid) + "/stat");
}

ProcessTable::ProcessTable(std::vector<ProcessInfo> processes) : processes_(std::move(processes)) {
  std::sort(processes_.begin(), processes_.end(),
            [](const ProcessInfo& a, const ProcessInfo& b) { return a.pid < b.pid; });
  by_group_.reserve(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    by_group_.emplace(processes_[i].group, i);
  }
}

ProcessTable ProcessTable::read() {
  std::vector<ProcessInfo> processes;
  const Directory proc(::opendir("/proc"));
  if (proc == nullptr) {
    return ProcessTable({});
  }
  const int proc_fd = ::dirfd(proc.get());
  // The stream is used by this thread alone; readdir is safe then.
  while (const dirent* entry = ::readdir(proc.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (parse_pid(entry->d_name)) {
      if (auto info = read_stat(proc_fd, std::string(entry->d_name) + "/stat")) {
        processes.push_back(std::move(*info));
      }
    }
  }
  return ProcessTable(std::move(processes));
}

const ProcessInfo* ProcessTable::find(int pid) const {
  const auto found =
      std::lower_bound(processes_.begin(), processes_.end(), pid,
                       [](const ProcessInfo& info, int value) { return info.pid < value; });
  return found != processes_.end() && found->pid == pid ? &*found : nullptr;
}

int ProcessTable::depth(const ProcessInfo& process) const {
  int result = 0;
  // The table is not one moment's truth, so a chain could be a circle: bound it.
  for (const auto* at = &process; at != nullptr && at->parent > 0 && result < 1024; ++result) {
    at = find(at->parent);
  }
  return result;
}

std::string ProcessTable::foreground(int leader, const UsesTerminal& uses_terminal) const {
  const auto* session = find(leader);
  if (session == nullptr || session->tty == 0 || session->foreground_group <= 0) {
    return {};
  }
  std::vector<const ProcessInfo*> members;
  const auto [first, last] = by_group_.equal_range(session->foreground_group);
  for (auto at = first; at != last; ++at) {
    const auto& process = processes_[at->second];
    if (process.tty == session->tty && !process.dead()) {
      members.push_back(&process);
    }
  }
  if (members.size() > 1) {
    std::vector<const ProcessInfo*> users;
    std::copy_if(members.begin(), members.end(), std::back_inserter(users),
                 [&](const ProcessInfo* process) { return uses_terminal(*process); });
    if (!users.empty()) {
      members = std::move(users);
    }
  }
  const auto deepest =
      std::max_element(members.begin(), members.end(), [&](const auto* a, const auto* b) {
        return std::pair(depth(*a), a->pid) < std::pair(depth(*b), b->pid);
      });
  return deepest == members.end() ? std::string{} : (*deepest)->name;
}

std::vector<ProcessInfo> ProcessTable::session_tree(int leader) const {
  std::unordered_set<int> wanted{leader};
  for (const auto& process : processes_) {
    if (process.session == leader) {
      wanted.insert(process.pid);
    }
  }
  // Children may have lower pids than their parents once pids wrap, so go on until nothing is new.
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& process : processes_) {
      if (wanted.contains(process.parent)) {
        grown = wanted.insert(process.pid).second || grown;
      }
    }
  }
  std::vector<ProcessInfo> result;
  for (const auto& process : processes_) {
    if (wanted.contains(process.pid) && !process.dead()) {
      result.push_back(process);
    }
  }
  return result;
}

namespace {

std::string read_link(int directory, const char* name) {
  std::array<char, 64> target{};  // longer than any /dev/pts/N
  const auto count = ::readlinkat(directory, name, target.data(), target.size());
  return count > 0 ? std::string(target.data(), static_cast<std::size_t>(count)) : std::string{};
}

}  // namespace

std::string working_directory_of(int pid) {
  std::array<char, 4096> target{};
  const std::string link = "/proc/" + std::to_string(pid) + "/cwd";
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  std::string path(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  // The kernel says so of a directory that is gone; one of that name is rare and no loss.
  return path.ends_with(" (deleted)") || path.size() == target.size() ? std::string{} : path;
}

bool uses_own_terminal(const ProcessInfo& process) {
  const auto directory = "/proc/" + std::to_string(process.pid) + "/fd/";
  return std::any_of(std::begin("012"), std::end("012") - 1, [&](char number) {
    struct stat status {};
    return ::stat((directory + number).c_str(), &status) == 0 && S_ISCHR(status.st_mode) &&
           static_cast<int>(status.st_rdev) == process.tty;
  });
}

std::vector<int> holders_of(const ProcessTable& table, const std::string& tty_path) {
  std::vector<int> result;
  const int self = ::getpid();
  for (const auto& process : table.all()) {
    if (process.dead() || process.pid == self) {
      continue;
    }
    const auto path = "/proc/" + std::to_string(process.pid) + "/fd";
    const Directory directory(::opendir(path.c_str()));
    if (directory == nullptr) {
      continue;
    }
    while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe)
      if (read_link(::dirfd(directory.get()), entry->d_name) == tty_path) {
        result.push_back(process.pid);
        break;
      }
    }
  }
  return result;
}

}  // namespace troupe::pty
