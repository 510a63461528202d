// SPDX-License-Identifier: MIT
#include "client/cli/become.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace troupe::client::cli {

int become(const Context& context, std::vector<std::string> words,
           const std::vector<std::string>& operands) {
  words.insert(words.end(), {"--name", context.address.name});
  if (!context.address.root.empty()) {
    words.insert(words.end(), {"--runtime-dir", context.address.root});
  }
  if (!operands.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), operands.begin(), operands.end());
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  const std::string hint = errno == ENOENT ? " (is it installed?)" : "";
  return fail(Error{Code::io, "cannot run " + words.front() + ": " + std::strerror(errno) + hint});
}

}  // namespace troupe::client::cli
