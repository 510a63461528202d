// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/unique_fd.hpp"
#include "telemetry/span_sink.hpp"

namespace troupe::telemetry {
namespace {

Delivery failed(const char* what) {
  return {Fate::retry, 0, std::string{what} + ": " + std::strerror(errno)};
}

class FileSink final : public SpanSink {
 public:
  FileSink(std::string path, std::uint64_t max_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes) {}

  Delivery deliver(const std::string& line, Clock::time_point /*deadline*/) override {
    // Without O_NONBLOCK the open of a FIFO would hang.
    UniqueFd file{::open(
        path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    struct stat before {};
    if (!file || ::fstat(file.get(), &before) != 0) {
      return failed("cannot open");
    }
    if (!S_ISREG(before.st_mode)) {
      return {Fate::rejected, 0, "it is no regular file"};
    }
    const std::string text = line + "\n";
    if (static_cast<std::uint64_t>(before.st_size) + text.size() > max_bytes_) {
      return {Fate::full, 0,
              "the file would be larger than " + std::to_string(max_bytes_) + " bytes"};
    }
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t n = ::write(file.get(), text.data() + written, text.size() - written);
      if (n < 0 && errno == EINTR) {
        continue;
      }
      if (n <= 0) {
        const Delivery delivery = failed("cannot write");
        if (written > 0) {
          (void)!::ftruncate(file.get(), before.st_size);
        }
        return delivery;
      }
      written += static_cast<std::size_t>(n);
    }
    return {};
  }

 private:
  std::string path_;
  std::uint64_t max_bytes_;
};

}  // namespace

std::unique_ptr<SpanSink> make_file_sink(const std::string& path, std::uint64_t max_bytes) {
  return std::make_unique<FileSink>(path, max_bytes);
}

}  // namespace troupe::telemetry
