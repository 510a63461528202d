// SPDX-License-Identifier: MIT
#include "remote/known_hosts.hpp"

#include <algorithm>
#include <fstream>

namespace troupe::remote {
namespace {

constexpr std::string_view marker = "@revoked";
constexpr std::string_view blanks = " \t\r";

/// The next word of `line`, which loses it; empty at the end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

bool line_revokes(std::string_view line, std::string_view key_base64) {
  if (take_word(line) != marker) {
    return false;
  }
  take_word(line);  // the hosts
  take_word(line);  // the type, which the key says itself
  return take_word(line) == key_base64;
}

bool file_revokes(const std::string& path, std::string_view key_base64) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line_revokes(line, key_base64)) {
      return true;
    }
  }
  return false;
}

}  // namespace troupe::remote
