// SPDX-License-Identifier: MIT
#include "registration/sweep.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "registration/files.hpp"
#include "registration/registration.hpp"

namespace troupe::registration {

namespace {

/// Younger directories may belong to a daemon that is just starting.
constexpr std::time_t abandoned_after_s = 10 * 60;

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

/// The names in an open directory without `.` and `..`; nothing where it cannot be read.
std::optional<std::vector<std::string>> names_in(int directory) {
  UniqueFd copy(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, CloseDirectory> stream(copy ? ::fdopendir(copy.get()) : nullptr);
  if (stream == nullptr) {
    return std::nullopt;
  }
  static_cast<void>(copy.release());
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  return names;
}

bool is_our_file(int directory, const std::string& name) {
  struct stat status {};
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return false;
  }
  if (name == agent_link_name || name == fresh_agent_link_name) {
    return S_ISLNK(status.st_mode);
  }
  if (name == metrics_socket_name) {
    return S_ISSOCK(status.st_mode);
  }
  if (name == integration_name) {
    return S_ISDIR(status.st_mode);
  }
  return (name == registration_name || name == lock_name || is_temporary_name(name)) &&
         S_ISREG(status.st_mode);
}

/// The integration's files lie in one directory a shell, so nothing of ours is deeper.
constexpr int integration_depth = 2;

/// Removes `name` and, where it is a directory, what is in it; follows no link.
void remove_tree(int parent, const std::string& name, int depth) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || depth == 0) {
    return;
  }
  const UniqueFd directory(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const auto names = directory ? names_in(directory.get()) : std::nullopt;
  for (const auto& inner : names.value_or(std::vector<std::string>{})) {
    remove_tree(directory.get(), inner, depth - 1);
  }
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

/// The names to remove, or nothing where anything in it is not ours, or there is nothing.
std::optional<std::vector<std::string>> our_files(int directory) {
  auto names = names_in(directory);
  if (!names || names->empty() ||
      !std::all_of(names->begin(), names->end(),
                   [&](const std::string& name) { return is_our_file(directory, name); })) {
    return std::nullopt;
  }
  return names;
}

bool registered_process_is_gone(int directory, const std::string& path) {
  const auto text = read_private_file(directory, registration_name, path, Exposed::accept);
  const auto registration = text ? decode(*text) : Result<Registration>(text.error());
  return registration && ::kill(registration->pid, 0) != 0 && errno == ESRCH;
}

/// Takes the abandoned directory's lock, so that no daemon can start in it meanwhile.
UniqueFd take_abandoned_lock(int directory, const std::string& path) {
  UniqueFd lock(::openat(directory, lock_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!lock && errno == ENOENT && registered_process_is_gone(directory, path)) {
    lock.reset(::openat(directory, lock_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }
  struct stat held {};
  struct stat named {};
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(lock.get(), &held) != 0 ||
      ::fstatat(directory, lock_name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      !same_file(held, named)) {
    return UniqueFd{};
  }
  return lock;
}

bool is_abandoned(int directory) {
  struct stat status {};
  return ::fstat(directory, &status) == 0 && status.st_uid == ::geteuid() &&
         ::time(nullptr) - status.st_mtime > abandoned_after_s;
}

void remove_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) &&
      status.st_uid == ::geteuid()) {
    ::unlink(path.c_str());
  }
}

bool sweep_one(int parent, const std::string& name, const std::string& path) {
  const UniqueFd directory(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory || !is_abandoned(directory.get()) || !our_files(directory.get())) {
    return false;
  }
  const auto lock = take_abandoned_lock(directory.get(), path);
  // Looked at again under the lock: it may have come to life in between.
  auto files = lock ? our_files(directory.get()) : std::nullopt;
  if (!files) {
    return false;
  }
  remove_socket(socket_path(path));
  std::erase(*files, std::string(lock_name));
  // The lock last: until then nobody else starts here.
  files->emplace_back(lock_name);
  for (const auto& file : *files) {
    remove_tree(directory.get(), file, integration_depth);
  }
  return ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace

std::size_t sweep_siblings(const std::string& own, const std::atomic<bool>& stop) {
  const auto slash = own.rfind('/');
  if (slash == std::string::npos || slash == 0) {
    return 0;
  }
  const auto parent_path = own.substr(0, slash);
  const UniqueFd parent(::open(parent_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto names = parent ? names_in(parent.get()) : std::nullopt;
  std::size_t removed = 0;
  for (const auto& name : names.value_or(std::vector<std::string>{})) {
    if (stop) {
      break;
    }
    const auto path = parent_path + '/' + name;
    if (path != own && sweep_one(parent.get(), name, path)) {
      ++removed;
    }
  }
  return removed;
}

}  // namespace troupe::registration
