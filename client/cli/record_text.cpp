// SPDX-License-Identifier: MIT
#include "client/cli/record_text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "client/cli/context.hpp"
#include "client/cli/spelling.hpp"

namespace troupe::client::cli {
namespace {

/// Whether notes stand between the output: on a person's terminal, or after `2>&1`.
bool stderr_is_stdout() {
  struct stat out {};
  struct stat err {};
  return ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &err) == 0 &&
         out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

}  // namespace

int status_of_record(const CommandRecord& record) {
  constexpr std::int32_t most = 255;
  constexpr std::int32_t most_signal = 127;
  if (record.running) {
    return exit_status::timeout;
  }
  if (record.exit_code) {
    const std::int64_t code = *record.exit_code;
    return static_cast<int>(code >= 0 ? std::min<std::int64_t>(code, most)
                                      : exit_status::signal_base +
                                            std::min<std::int64_t>(-code, most_signal));
  }
  return record.incomplete || record.pty_exited ? exit_status::error : exit_status::ok;
}

void print_page(const TextSlice& slice) {
  print(slice.text);
  if (slice.text.empty() || slice.text.back() == '\n') {
    return;
  }
  if (!slice.truncated) {
    print("\n");
  } else if (stderr_is_stdout()) {
    std::fputs("\n", stderr);
  }
}

void print_slice(const TextSlice& slice, const std::string& go_on) {
  print_page(slice);
  if (slice.evicted) {
    note("the beginning is no longer kept; this starts at " + cursor_text(slice.start));
  }
  if (slice.truncated) {
    note("cut after " + std::to_string(slice.text.size()) + " bytes; go on with: " + go_on);
  }
}

}  // namespace troupe::client::cli
