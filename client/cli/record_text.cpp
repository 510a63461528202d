// SPDX-License-Identifier: MIT
#include "client/cli/record_text.hpp"

#include <algorithm>

#include "client/cli/context.hpp"
#include "client/cli/spelling.hpp"

namespace troupe::client::cli {

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

void print_slice(const TextSlice& slice, const std::string& go_on) {
  print(slice.text);
  if (!slice.text.empty() && slice.text.back() != '\n') {
    print("\n");
  }
  if (slice.evicted) {
    note("the beginning is no longer kept; this starts at " + cursor_text(slice.start));
  }
  if (slice.truncated) {
    note("cut after " + std::to_string(slice.text.size()) + " bytes; go on with: " + go_on);
  }
}

}  // namespace troupe::client::cli
