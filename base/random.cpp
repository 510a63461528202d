// SPDX-License-Identifier: MIT
#include "base/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace troupe {
namespace {

void fill_random(void* data, std::size_t size) {
  auto* cursor = static_cast<unsigned char*>(data);
  while (size > 0) {
    const ssize_t got = ::getrandom(cursor, size, 0);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      std::abort();
    }
    cursor += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace

std::string random_hex(std::size_t bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string raw(bytes, '\0');
  fill_random(raw.data(), raw.size());
  std::string hex;
  hex.reserve(bytes * 2);
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(digits[byte >> 4U]);
    hex.push_back(digits[byte & 0xFU]);
  }
  return hex;
}

TerminalId random_terminal_id() {
  std::uint64_t value = 0;
  while (value == 0) {
    fill_random(&value, sizeof value);
    value &= max_terminal_id;
  }
  return TerminalId{value};
}

}  // namespace troupe
