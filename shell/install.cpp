// SPDX-License-Identifier: MIT
#include "shell/install.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/random.hpp"
#include "base/unique_fd.hpp"
#include "shell/launch_plan.hpp"

namespace troupe::shell {

namespace {

Error failure(const std::string& path) {
  return {Code::io, path + ": " + std::strerror(errno)};
}

Result<> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) {
    return success();
  }
  struct stat info {};
  if (errno != EEXIST || ::lstat(path.c_str(), &info) != 0) {
    return failure(path);
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 0022) != 0) {
    return Error{Code::io, path + ": not a directory that only its owner can write"};
  }
  return success();
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<> replace_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + "." + random_hex(8);
  const UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) {
    return failure(temporary);
  }
  if (!write_all(fd.get(), content) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = failure(path);
    ::unlink(temporary.c_str());
    return error;
  }
  return success();
}

}  // namespace

Result<> install(const std::string& directory) {
  if (Result<> made = make_directory(directory); !made) {
    return made;
  }
  for (const IntegrationFile& file : integration_files()) {
    const std::string path = directory + "/" + file.path;
    if (Result<> made = make_directory(path.substr(0, path.rfind('/'))); !made) {
      return made;
    }
    if (Result<> written = replace_file(path, file.content); !written) {
      return written;
    }
  }
  return success();
}

}  // namespace troupe::shell
