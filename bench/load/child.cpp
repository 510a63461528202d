// SPDX-License-Identifier: MIT
#include "bench/load/child.hpp"

#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/unique_fd.hpp"
#include "bench/load/failure.hpp"
#include "bench/load/rendezvous.hpp"
#include "bench/streams.hpp"

namespace troupe::bench {
namespace {

// What `cat` writes at once.
constexpr std::size_t write_bytes = 128 * 1024;
// The stream repeats after this much, so that a large run needs little memory.
constexpr std::size_t stream_period_bytes = 4 * 1024 * 1024;

/// No echo and no line editing. Output processing stays on: LF becomes CR LF, as for any program
/// that prints lines.
void disable_line_input() {
  termios settings{};
  if (::tcgetattr(STDIN_FILENO, &settings) != 0) {
    throw_errno("tcgetattr");
  }
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  settings.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &settings) != 0) {
    throw_errno("tcsetattr");
  }
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(STDOUT_FILENO, bytes.data(), std::min(bytes.size(), write_bytes));
    if (written < 0) {
      throw_errno("write to the terminal");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void ask_status() {
  write_all("\x1b[5n");
  char byte = 0;
  while (byte != 'n') {
    if (::read(STDIN_FILENO, &byte, 1) != 1) {
      throw_errno("read the status answer");
    }
  }
}

/// `bytes` bytes of the stream over and over, in parts.
template <class Take>
void each_part(const std::string& stream, std::size_t bytes, const Take& take) {
  for (std::size_t given = 0; given < bytes;) {
    const std::size_t part = std::min(bytes - given, stream.size());
    take(std::string_view(stream).substr(0, part));
    given += part;
  }
}

int bulk(const std::string& socket, std::string_view kind, std::size_t bytes) {
  const auto stream = make_stream(kind, std::min(bytes, stream_period_bytes));
  if (!stream) {
    throw Failure("no such stream");
  }
  disable_line_input();
  const UniqueFd peer = connect_unix(socket);
  await_peer(peer.get());
  each_part(*stream, bytes, write_all);
  ask_status();
  signal_peer(peer.get());
  await_peer(peer.get());
  return 0;
}

int echo(const std::string& socket) {
  disable_line_input();
  const UniqueFd peer = connect_unix(socket);
  signal_peer(peer.get());
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got <= 0) {
      return 0;
    }
    write_all(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
}

int idle() {
  while (true) {
    ::pause();
  }
}

}  // namespace

std::string bulk_output(std::string_view kind, std::size_t bytes) {
  const auto stream = make_stream(kind, std::min(bytes, stream_period_bytes));
  if (!stream) {
    throw Failure("no such stream");
  }
  std::string out;
  out.reserve(bytes);
  each_part(*stream, bytes, [&out](std::string_view part) { out += part; });
  return out;
}

int run_child(const std::vector<std::string>& arguments) {
  const std::string_view role = arguments.empty() ? std::string_view() : arguments[0];
  if (role == "bulk" && arguments.size() == 4) {
    return bulk(arguments[1], arguments[2], std::stoul(arguments[3]));
  }
  if (role == "echo" && arguments.size() == 2) {
    return echo(arguments[1]);
  }
  if (role == "idle") {
    return idle();
  }
  throw Failure("unknown child role");
}

}  // namespace troupe::bench
