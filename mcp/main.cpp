// SPDX-License-Identifier: MIT

/// @file
/// `troupe-mcp` (also `troupe mcp`): moves lines between stdio and the server. Nothing but protocol
/// goes to stdout; the end of stdin ends the program when what is under way is answered, at the
/// latest after `last_answers`. The terminals live on in the daemon.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "base/environment.hpp"
#include "base/standard_streams.hpp"
#include "mcp/line_reader.hpp"
#include "mcp/server.hpp"
#include "protocol/version.hpp"

namespace {

using troupe::mcp::LineReader;
using troupe::mcp::Server;

/// A client that does not read its answers is not asked for more.
constexpr std::size_t max_unsent_bytes = std::size_t{16} * 1024 * 1024;

/// How long a client that asks nothing more may have to wait for what it asked: the SDKs send
/// SIGTERM after two seconds.
constexpr std::chrono::milliseconds last_answers{1500};

class Stdio {
 public:
  Stdio() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
      flags_.at(static_cast<std::size_t>(fd)) = ::fcntl(fd, F_GETFL);
      ::fcntl(fd, F_SETFL, flags_.at(static_cast<std::size_t>(fd)) | O_NONBLOCK);
    }
  }
  /// The flags belong to the open file, which the parent may share.
  ~Stdio() {
    finish();
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
      ::fcntl(fd, F_SETFL, flags_.at(static_cast<std::size_t>(fd)));
    }
  }
  Stdio(const Stdio&) = delete;
  Stdio& operator=(const Stdio&) = delete;

  void send(std::string line) {
    unsent_ += line;
    unsent_.push_back('\n');
    flush();
  }

  void flush() {
    while (!unsent_.empty()) {
      const ssize_t sent = ::write(STDOUT_FILENO, unsent_.data(), unsent_.size());
      if (sent < 0) {
        closed_ = errno != EAGAIN && errno != EINTR;
        error_ = closed_ && errno != EPIPE ? errno : 0;
        return;
      }
      unsent_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  /// Reads what is there; false at the end of input.
  bool receive(LineReader& lines) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got > 0) {
      lines.feed({buffer.data(), static_cast<std::size_t>(got)});
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }

  /// What was answered reaches a client that still reads, also after the end of its requests.
  void finish() {
    static constexpr int patience_ms = 2000;
    pollfd fd{STDOUT_FILENO, POLLOUT, 0};
    while (!unsent_.empty() && !closed_ && ::poll(&fd, 1, patience_ms) > 0) {
      flush();
    }
  }

  [[nodiscard]] bool closed() const { return closed_; }
  /// Why nothing can be written, as errno; 0 where that is not so, or the client only left.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] bool wants_write() const { return !unsent_.empty(); }
  [[nodiscard]] bool may_read() const { return unsent_.size() < max_unsent_bytes; }

 private:
  std::array<int, 2> flags_{};
  std::string unsent_;
  bool closed_ = false;
  int error_ = 0;
};

short events(bool in, bool out) {
  return static_cast<short>((in ? unsigned{POLLIN} : 0U) | (out ? unsigned{POLLOUT} : 0U));
}

/// Until `due`, for poll, which waits for ever at -1; rounded up, or it would spin before.
int patience_ms(const std::optional<troupe::client::Deadline>& due) {
  if (!due) {
    return -1;
  }
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*due - troupe::client::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

/// One look at the three streams, until one of them is ready or `until`. False at the end of input.
bool turn(Stdio& stdio, LineReader& lines, Server& server, bool reads,
          std::optional<troupe::client::Deadline> until) {
  // What the daemon tells waits too: notifications must not pile up for who does not read them.
  const bool may_add = stdio.may_read();
  if (const auto due = may_add ? server.due() : std::nullopt; due && (!until || *due < *until)) {
    until = due;
  }
  std::array<pollfd, 3> fds = {
      pollfd{reads ? STDIN_FILENO : -1, events(may_add, false), 0},
      pollfd{stdio.wants_write() ? STDOUT_FILENO : -1, POLLOUT, 0},
      pollfd{may_add ? server.daemon_fd() : -1, events(true, server.daemon_wants_write()), 0}};
  ::poll(fds.data(), fds.size(), patience_ms(until));
  if (fds[1].revents != 0) {
    stdio.flush();
  }
  if (fds[2].revents != 0) {
    server.pump();
  }
  // Not only when nothing else came: other traffic must not keep a client from hearing that its
  // call goes on.
  if (may_add) {
    server.tick(troupe::client::Clock::now());
  }
  const bool open = fds[0].revents == 0 || stdio.receive(lines);
  while (auto line = open ? lines.next() : lines.rest()) {
    server.line(*line);
  }
  return open;
}

/// The exit status.
int serve(const troupe::client::DaemonAddress& address) {
  Stdio stdio;
  LineReader lines;
  Server server(address, [&stdio](std::string line) { stdio.send(std::move(line)); });
  while (!stdio.closed() && turn(stdio, lines, server, true, std::nullopt)) {
  }
  server.input_ended();
  const auto end = troupe::client::after(last_answers);
  while (!stdio.closed() && server.busy() && troupe::client::Clock::now() < end) {
    (void)turn(stdio, lines, server, false, end);
  }
  server.give_up();
  stdio.finish();
  if (stdio.error() != 0) {
    std::fprintf(stderr, "error: cannot write: %s\n", std::strerror(stdio.error()));
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  troupe::hold_standard_streams();
  CLI::App app{"Model Context Protocol server on stdio for troupe's terminals", "troupe mcp"};
  // The same daemon as `troupe` takes, or a person's `troupe list` would not show an agent's work.
  troupe::client::DaemonAddress address;
  address.name = troupe::environment_value("TROUPE_NAME").value_or("default");
  address.root = troupe::environment_value("TROUPE_RUNTIME_DIR").value_or("");
  app.add_option("--name", address.name,
                 "The daemon (default, or $TROUPE_NAME); started where none runs");
  app.add_option("--runtime-dir", address.root, "Where daemons register (or $TROUPE_RUNTIME_DIR)");
  app.set_version_flag("--version", "troupe " + std::string(troupe::protocol::program_version));
  CLI11_PARSE(app, argc, argv);
  ::signal(SIGPIPE, SIG_IGN);
  return serve(address);
}
