// SPDX-License-Identifier: MIT
#include "recording/recording_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/ascii_case.hpp"
#include "base/random.hpp"

namespace troupe::recording {

namespace {

constexpr std::size_t max_label_characters = 64;

Error failure(const std::string& path, int error) {
  return {Code::io, path + ": " + std::strerror(error)};
}

std::string value_of(const std::map<std::string, std::string>& env, const std::string& name) {
  const auto found = env.find(name);
  return found == env.end() ? std::string() : found->second;
}

bool is_absolute(const std::string& path) {
  return !path.empty() && path.front() == '/';
}

/// Makes the directory and those above it that are missing.
Result<> make_directories(const std::string& path, mode_t mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      return failure(part, errno);
    }
    if (end == std::string::npos) {
      return success();
    }
  }
}

/// A directory of this user's own; where it is private, others are kept out of it.
Result<UniqueFd> open_own_directory(const std::string& path, Access access) {
  const bool is_private = access == Access::owner_only;
  if (Result<> made = make_directories(path, is_private ? 0700 : 0777); !made) {
    return std::move(made).error();
  }
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return failure(path, errno);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return failure(path, errno);
  }
  if (info.st_uid != ::geteuid()) {
    return Error{Code::io, path + ": belongs to another user"};
  }
  if (is_private && (info.st_mode & 0077) != 0 && ::fchmod(fd.get(), 0700) != 0) {
    return failure(path, errno);
  }
  return fd;
}

Result<UniqueFd> open_directory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return failure(path, errno);
  }
  return fd;
}

}  // namespace

std::string recording_file_name(std::int64_t wall_us, std::string_view kind,
                                std::string_view instance_id, std::string_view label) {
  const auto time = static_cast<std::time_t>(wall_us / 1'000'000);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> date{};
  const std::size_t length = std::strftime(date.data(), date.size(), "%Y%m%dT%H%M%SZ", &parts);
  std::string name(date.data(), length);
  name.append("-").append(kind).append("-").append(instance_id);
  if (label.empty()) {
    return name + ".jsonl";
  }
  name += '-';
  for (const char c : label.substr(0, max_label_characters)) {
    const bool is_kept = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    name += is_kept ? c : '_';
  }
  return name + ".jsonl";
}

std::string default_recording_directory(const std::map<std::string, std::string>& env) {
  if (const std::string own = value_of(env, "TROUPE_RECORDINGS_DIR"); is_absolute(own)) {
    return own;
  }
  if (const std::string data = value_of(env, "XDG_DATA_HOME"); is_absolute(data)) {
    return data + "/troupe/recordings";
  }
  const std::string home = value_of(env, "HOME");
  return is_absolute(home) ? home + "/.local/share/troupe/recordings" : std::string();
}

Access recording_access(const std::map<std::string, std::string>& env) {
  const std::string value = ascii_lower(value_of(env, "TROUPE_RECORDINGS_PRIVATE"));
  for (const char* no : {"0", "off", "false", "no", "never", "none", "disabled"}) {
    if (value == no) {
      return Access::by_umask;
    }
  }
  return Access::owner_only;
}

std::uint64_t recording_max_bytes(const std::map<std::string, std::string>& env) {
  const std::string text = value_of(env, "TROUPE_RECORDING_MAX_BYTES");
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

RecordingFile::RecordingFile(UniqueFd directory, UniqueFd file, std::string path,
                             std::string temporary)
    : directory_(std::move(directory)),
      file_(std::move(file)),
      path_(std::move(path)),
      temporary_(std::move(temporary)) {}

Result<RecordingFile> RecordingFile::create(const RecordingPlace& place) {
  const bool is_given = !place.path.empty();
  const std::string path = is_given ? place.path : place.directory + "/" + place.name;
  const std::size_t slash = path.rfind('/');
  if (!is_absolute(path) || slash + 1 == path.size()) {
    return Error{Code::bad_request, "a recording needs an absolute path"};
  }
  const std::string folder = slash == 0 ? "/" : path.substr(0, slash);
  Result<UniqueFd> directory =
      is_given ? open_directory(folder) : open_own_directory(folder, place.access);
  if (!directory) {
    return std::move(directory).error();
  }
  struct stat info {};
  if (::fstatat(directory->get(), path.c_str() + slash + 1, &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return failure(path, EEXIST);
  }
  const std::string temporary = ".recording-" + random_hex(8) + ".part";
  UniqueFd file(::openat(directory->get(), temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         place.access == Access::owner_only ? 0600 : 0666));
  if (!file) {
    return failure(path, errno);
  }
  return RecordingFile(std::move(*directory), std::move(file), path, temporary);
}

RecordingFile::~RecordingFile() {
  if (file_ && !temporary_.empty()) {
    ::unlinkat(directory_.get(), temporary_.c_str(), 0);
  }
}

Result<> RecordingFile::write(std::string_view rows) {
  std::size_t done = 0;
  while (done < rows.size()) {
    const ssize_t count = ::write(file_.get(), rows.data() + done, rows.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      const Error error = failure(path_, count == 0 ? ENOSPC : errno);
      // Part of the rows may be there; cut back to the last whole one.
      size_ += rows.substr(0, done).rfind('\n') + 1;  // 0 where there is none
      if (::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0) {
        ::lseek(file_.get(), static_cast<off_t>(size_), SEEK_SET);
      }
      return error;
    }
    done += static_cast<std::size_t>(count);
  }
  size_ += rows.size();
  return success();
}

Result<> RecordingFile::commit() {
  const char* name = path_.c_str() + path_.rfind('/') + 1;
  if (::renameat2(directory_.get(), temporary_.c_str(), directory_.get(), name, RENAME_NOREPLACE) !=
      0) {
    // File systems without that flag: a link does not replace either.
    if (errno != EINVAL && errno != ENOSYS) {
      return failure(path_, errno);
    }
    if (::linkat(directory_.get(), temporary_.c_str(), directory_.get(), name, 0) != 0) {
      return failure(path_, errno);
    }
    ::unlinkat(directory_.get(), temporary_.c_str(), 0);
  }
  temporary_.clear();
  return success();
}

}  // namespace troupe::recording
