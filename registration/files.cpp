// SPDX-License-Identifier: MIT
#include "registration/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace troupe::registration {

bool is_temporary_name(std::string_view name) {
  return name.size() > 12 && name.starts_with("service.") && name.ends_with(".tmp");
}

Error file_error(std::string_view what, std::string_view path, int errno_value) {
  return {errno_value == ENOENT ? Code::not_found : Code::io,
          std::string(what) + ' ' + std::string(path) + ": " +
              std::generic_category().message(errno_value)};
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

namespace {

// With mode 0700 whatever the umask. Returns 0 or the errno; 0 too where another process removed it
// again at once, which the caller's next step will see.
int make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    return errno;
  }
  return ::chmod(path.c_str(), 0700) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

Result<> make_directories(const std::string& path) {
  for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const auto part = path.substr(0, slash);
    const int made = make_directory(part);
    if (made != 0 && made != EEXIST) {
      struct stat status {};
      // A parent that is there may be read-only (EROFS) or closed (EACCES): only its absence
      // counts.
      if (::stat(part.c_str(), &status) != 0) {
        return file_error("cannot create", part, made);
      }
    }
    if (slash == std::string::npos) {
      return success();
    }
  }
}

Result<> ensure_private_directory(const std::string& path) {
  if (const int made = make_directory(path); made != 0 && made != EEXIST) {
    return file_error("cannot create", path, made);
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return file_error("cannot look at", path, errno);
  }
  std::string fault;
  if (S_ISLNK(status.st_mode)) {
    fault = "it is a symbolic link";
  } else if (!S_ISDIR(status.st_mode)) {
    fault = "it is not a directory";
  } else if (status.st_uid != ::geteuid()) {
    fault = "it belongs to uid " + std::to_string(status.st_uid);
  } else if ((status.st_mode & 0777U) != 0700) {
    fault = "others may enter it (its mode is not 0700)";
  }
  if (!fault.empty()) {
    return Error{Code::io, "refusing to use " + path + ": " + fault +
                               "; remove it (as its owner or root: rm -r " + path +
                               ") and start again"};
  }
  return success();
}

Result<std::string> read_private_file(int directory, const char* name, const std::string& path,
                                      Exposed exposed) {
  // O_NONBLOCK: a fifo in its place must not hang us.
  const UniqueFd fd(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) {
    if (errno == ELOOP) {
      return Error{Code::io, "refusing to read " + path + ": it is a symbolic link"};
    }
    return file_error("cannot read", path, errno);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return file_error("cannot read", path, errno);
  }
  const char* fault = nullptr;
  if (!S_ISREG(status.st_mode)) {
    fault = "it is not a regular file";
  } else if (status.st_uid != ::geteuid()) {
    fault = "it belongs to another user";
  } else if (exposed == Exposed::refuse && (status.st_mode & 077U) != 0) {
    fault = "others may read or write it (chmod 600 to allow it)";
  } else if (status.st_size > static_cast<off_t>(max_registration_bytes)) {
    fault = "it is too large";
  }
  if (fault != nullptr) {
    return Error{Code::io, "refusing to read " + path + ": " + fault};
  }
  std::string text(max_registration_bytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto count = ::read(fd.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return file_error("cannot read", path, errno);
    }
    if (count == 0) {
      break;
    }
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

}  // namespace

Result<> write_private_file(int directory, const std::string& temporary, const char* name,
                            std::string_view text) {
  const UniqueFd fd(::openat(directory, temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    return file_error("cannot create", temporary, errno);
  }
  if (::fchmod(fd.get(), 0600) != 0 || !write_all(fd.get(), text) || ::fsync(fd.get()) != 0 ||
      ::renameat(directory, temporary.c_str(), directory, name) != 0) {
    const auto error = file_error("cannot write", name, errno);
    ::unlinkat(directory, temporary.c_str(), 0);
    return error;
  }
  // The rename itself should survive a power cut; that it may not is no reason to fail.
  ::fsync(directory);
  return success();
}

}  // namespace troupe::registration
