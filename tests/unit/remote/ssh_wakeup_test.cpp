// SPDX-License-Identifier: MIT

/// @file
/// Output that arrives at the worst moment: after the library was asked for it, while it is asked
/// for something else. The test stands between the two and lets the host speak just then.

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <libssh/libssh.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>

#include "remote_fixture.hpp"
#include "tests/support/remote_hosts.hpp"

using troupe::remote::SshOptions;
using troupe::remote::test::options_for;
using troupe::remote::test::Remote;
using troupe::test::SshServer;

namespace {

/// What the next read of the error stream does first.
struct Ambush {
  std::mutex mutex;
  std::string fifo;  ///< the host waits for somebody who opens this; empty: nothing happens
  std::atomic<int> sprung{0};
};

Ambush& ambush() {
  static Ambush one;
  return one;
}

void let_the_host_speak(ssh_channel channel) {
  std::string fifo;
  {
    const std::lock_guard lock(ambush().mutex);
    fifo.swap(ambush().fifo);
  }
  if (fifo.empty()) {
    return;
  }
  // Opening it for writing waits for the host's read, and its end lets the host go on.
  ::close(::open(fifo.c_str(), O_WRONLY | O_CLOEXEC));
  pollfd socket{ssh_get_fd(ssh_channel_get_session(channel)), POLLIN, 0};
  CHECK(::poll(&socket, 1, 20'000) == 1);
  ++ambush().sprung;
}

}  // namespace

// Stands before the library's own, which it calls.
extern "C" int ssh_channel_read_nonblocking(ssh_channel channel, void* to, std::uint32_t size,
                                            int is_stderr) {
  using Read = int (*)(ssh_channel, void*, std::uint32_t, int);
  static const auto real =
      reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "ssh_channel_read_nonblocking"));
  if (is_stderr != 0) {
    let_the_host_speak(channel);
  }
  return real(channel, to, size, is_stderr);
}

TEST_CASE("ssh_channel: output that comes while the error stream is read is not left behind") {
  SshServer server;
  server.serve_one();
  const std::string fifo = server.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  Remote remote;
  SshOptions options = options_for(server);
  options.keepalive_s = 0;  // nothing else wakes the worker
  options.command = "stty raw -echo; printf READY; cat " + fifo + "; printf SPOKEN; exec cat";
  remote.open(options);
  REQUIRE(remote.wait_for("READY"));
  {
    const std::lock_guard lock(ambush().mutex);
    ambush().fifo = fifo;
  }
  REQUIRE(remote.channel->resize({81, 24}).ok());  // wakes the worker, and the host says nothing
  CHECK(remote.wait_for("SPOKEN"));
  CHECK(ambush().sprung == 1);
}
