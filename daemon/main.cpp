// SPDX-License-Identifier: MIT

#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "daemon/options.hpp"
#include "daemon/run.hpp"

namespace {

int fail(const troupe::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = troupe::daemon::parse_options({argv + 1, argv + argc});
  if (!parsed) {
    return fail(parsed.error());
  }
  if (const auto* const print = std::get_if<troupe::daemon::PrintAndExit>(&*parsed)) {
    std::fputs(print->text.c_str(), stdout);
    return 0;
  }
  const troupe::Result<> result = troupe::daemon::run(std::get<troupe::daemon::Options>(*parsed));
  return result ? 0 : fail(result.error());
}
