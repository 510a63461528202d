// SPDX-License-Identifier: MIT
#include "registration/service_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "registration/files.hpp"

namespace troupe::registration {

struct ServiceDirectory::State {
  std::string path;  ///< canonical
  std::string socket;
  UniqueFd directory;
  UniqueFd lock;
  struct stat lock_status {};
  std::optional<struct stat> socket_status;
  std::string instance_id;  ///< of what was published

  void remove_registration() const;
  ~State();
};

void ServiceDirectory::State::remove_registration() const {
  if (instance_id.empty()) {
    return;
  }
  const auto text = read_private_file(directory.get(), registration_name, path);
  const auto published = text ? decode(*text) : Result<Registration>(text.error());
  if (published && published->instance_id == instance_id) {
    ::unlinkat(directory.get(), registration_name, 0);
  }
}

// The registration first, so that nobody comes; the lock nearly last, so that no successor starts
// amid the rest; and only what is still ours, for a successor may have all of it already.
ServiceDirectory::State::~State() {
  remove_registration();
  struct stat status {};
  if (socket_status && ::lstat(socket.c_str(), &status) == 0 && same_file(status, *socket_status)) {
    ::unlink(socket.c_str());
  }
  if (::fstatat(directory.get(), lock_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      same_file(status, lock_status)) {
    ::unlinkat(directory.get(), lock_name, 0);
  }
  struct stat held {};
  if (::fstat(directory.get(), &held) == 0 && ::lstat(path.c_str(), &status) == 0 &&
      same_file(held, status)) {
    ::rmdir(path.c_str());
  }
}

namespace {

Result<std::string> canonical(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) {
    return file_error("cannot resolve", path, errno);
  }
  std::string result(resolved);
  std::free(resolved);  // NOLINT(cppcoreguidelines-no-malloc): realpath's own memory
  return result;
}

Result<UniqueFd> open_own_directory(const std::string& path) {
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!directory || ::fstat(directory.get(), &status) != 0) {
    return file_error("cannot open", path, errno);
  }
  if (status.st_uid != ::geteuid()) {
    return Error{Code::io, "refusing to use " + path + ": it belongs to uid " +
                               std::to_string(status.st_uid) +
                               "; choose another --runtime-dir or --name"};
  }
  if (::fchmod(directory.get(), 0700) != 0) {
    return file_error("cannot make private", path, errno);
  }
  return directory;
}

/// The lock, or no descriptor where the file vanished under us and all must be tried again.
Result<UniqueFd> take_lock(int directory, const std::string& path, struct stat& status) {
  UniqueFd lock(
      ::openat(directory, lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!lock) {
    // Our directory was removed by a predecessor that is just leaving.
    return errno == ENOENT ? Result<UniqueFd>(UniqueFd{})
                           : file_error("cannot create", path + '/' + lock_name, errno);
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Error{Code::busy,
                   "another process already owns the service lock: " + path + '/' + lock_name};
    }
    return file_error("cannot lock", path + '/' + lock_name, errno);
  }
  struct stat named {};
  if (::fstat(lock.get(), &status) != 0 ||
      ::fstatat(directory, lock_name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      !same_file(status, named)) {
    return UniqueFd{};
  }
  return lock;
}

// We hold the lock, so nobody is writing them.
void remove_temporaries(int directory) {
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) {
    return;
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream)) {  // NOLINT(concurrency-mt-unsafe)
    if (is_temporary_name(entry->d_name)) {
      names.emplace_back(entry->d_name);
    }
  }
  ::closedir(stream);
  for (const auto& name : names) {
    ::unlinkat(directory, name.c_str(), 0);
  }
}

// What a daemon that was killed left there. Only a socket: anything else was not made by us.
Result<> remove_stale_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return success();
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Error{Code::io, "refusing to remove " + path + ": it is not a socket"};
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return file_error("cannot remove", path, errno);
  }
  return success();
}

}  // namespace

Result<ServiceDirectory> ServiceDirectory::take(const std::string& runtime_directory) {
  if (auto sockets = ensure_private_directory(socket_directory()); !sockets) {
    return sockets.error();
  }
  // Again where a predecessor on its way out removes what we just opened; each turn of the loop
  // means that it got further.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (auto made = make_directories(runtime_directory); !made) {
      return made.error();
    }
    auto path = canonical(runtime_directory);
    auto directory = path ? open_own_directory(*path) : Result<UniqueFd>(path.error());
    if (!directory) {
      if (directory.error().code == Code::not_found) {
        continue;
      }
      return directory.error();
    }
    struct stat lock_status {};
    auto lock = take_lock(directory->get(), *path, lock_status);
    if (!lock) {
      return lock.error();
    }
    if (!lock->valid()) {
      continue;
    }
    auto state = std::make_unique<State>();
    state->path = std::move(*path);
    state->socket = registration::socket_path(state->path);
    state->directory = std::move(*directory);
    state->lock = std::move(*lock);
    state->lock_status = lock_status;
    remove_temporaries(state->directory.get());
    // Before there is a socket again: at the same path, it would be asked with a dead daemon's
    // token.
    (void)::unlinkat(state->directory.get(), registration_name, 0);
    if (auto removed = remove_stale_socket(state->socket); !removed) {
      return removed.error();
    }
    return ServiceDirectory(std::move(state));
  }
  return Error{Code::io, "cannot take " + runtime_directory + ": it keeps disappearing"};
}

ServiceDirectory::ServiceDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
ServiceDirectory::ServiceDirectory(ServiceDirectory&& other) noexcept = default;
ServiceDirectory& ServiceDirectory::operator=(ServiceDirectory&& other) noexcept = default;
ServiceDirectory::~ServiceDirectory() = default;

const std::string& ServiceDirectory::path() const {
  return state_->path;
}

const std::string& ServiceDirectory::socket_path() const {
  return state_->socket;
}

Result<> ServiceDirectory::adopt_socket() {
  struct stat status {};
  if (::lstat(state_->socket.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
    return Error{Code::io, "there is no socket at " + state_->socket};
  }
  // By path: fchmod on a bound socket does not change the file's mode. Nobody else can get into the
  // directory, so the path is still the one that was looked at.
  if (::chmod(state_->socket.c_str(), 0600) != 0) {
    return file_error("cannot make private", state_->socket, errno);
  }
  state_->socket_status = status;
  return success();
}

Result<> ServiceDirectory::publish(const Registration& registration) {
  auto written =
      write_private_file(state_->directory.get(), "service." + registration.instance_id + ".tmp",
                         registration_name, encode(registration));
  if (written) {
    state_->instance_id = registration.instance_id;
  }
  return written;
}

void ServiceDirectory::withdraw() {
  state_->remove_registration();
}

}  // namespace troupe::registration
