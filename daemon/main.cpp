// SPDX-License-Identifier: MIT

#include <malloc.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "base/standard_streams.hpp"
#include "daemon/options.hpp"
#include "daemon/run.hpp"

namespace {

/// Answers and output come and go in blocks of up to some hundred KiB. By default glibc gives each
/// back to the kernel at once, and the next one costs a page fault for every 4 KiB of it: most of
/// the time of a snapshot.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kept_bytes = 8 * 1024 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, kept_bytes);
  ::mallopt(M_TRIM_THRESHOLD, kept_bytes);
#endif
}

int fail(const troupe::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  troupe::hold_standard_streams();
  const auto parsed = troupe::daemon::parse_options({argv + 1, argv + argc});
  if (!parsed) {
    return fail(parsed.error());
  }
  if (const auto* const print = std::get_if<troupe::daemon::PrintAndExit>(&*parsed)) {
    if (std::fputs(print->text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
      return fail({troupe::Code::io, std::string("cannot write: ") + std::strerror(errno)});
    }
    return 0;
  }
  keep_freed_memory();
  const troupe::Result<> result = troupe::daemon::run(std::get<troupe::daemon::Options>(*parsed));
  return result ? 0 : fail(result.error());
}
