// SPDX-License-Identifier: MIT

/// @file
/// What the daemon finds out by itself, and what it does not keep for ever.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client.hpp"
#include "daemon_process.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;

namespace {

/// Reads a stream until the foreground process is `wanted`.
bool becomes_foreground(Client& stream, const std::string& wanted) {
  for (;;) {
    const std::optional<std::string> payload = stream.read();
    REQUIRE(payload);
    if (protocol::is_output(*payload)) {
      continue;
    }
    const Result<protocol::ServerMessage> message = protocol::decode_response(*payload);
    REQUIRE(message);
    const auto* const changed =
        std::get_if<protocol::event::ForegroundProcessChanged>(&message->response);
    if (changed != nullptr && changed->process == wanted) {
      return true;
    }
  }
}

}  // namespace

TEST_CASE("activity: a subscriber hears of the foreground process without asking") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "read x; sleep 1000; exit 0");
  Client stream{daemon};
  request::Subscribe subscribe;
  subscribe.id = id;
  subscribe.attachment_id = "a";
  stream.send(subscribe);
  (void)stream.read_message();
  request::Write write;
  write.id = id;
  write.data = "go\n";
  REQUIRE(std::holds_alternative<reply::Ok>(ask(daemon, write)));
  CHECK(becomes_foreground(stream, "sleep"));
}

TEST_CASE("activity: where no shell tells its directory the kernel does") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "cd /usr/bin; printf READY; exec cat");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  CHECK(wait_until([&] {
    const auto terminals = ask_for<reply::Terminals>(daemon, request::List{}).terminals;
    return terminals.at(0).shell_cwd == "/usr/bin" &&
           terminals[0].shell_cwd_source == CwdSource::proc;
  }));
}

TEST_CASE("activity: an answer that nobody reads is not kept for ever") {
  REQUIRE(::setenv("TROUPE_LINGER_MS", "200", 1) == 0);
  DaemonProcess daemon;
  ::unsetenv("TROUPE_LINGER_MS");
  const TerminalId id =
      create_shell(daemon, "head -c 2000000 /dev/zero | tr '\\\\0' x; printf END; exec cat");
  REQUIRE(wait_until([&] {
    const std::string printed = replay_of(daemon, id);
    return printed.size() >= 2'000'003;
  }));
  Client silent{daemon};
  silent.send(request::Replay{id, 0});
  const auto connections = [&] {
    return ask_for<reply::Status>(daemon, request::Status{}).connections;
  };
  REQUIRE(wait_until([&] { return connections() == 1; }));
  // What the socket had taken is still there; the rest is gone with the connection.
  CHECK_FALSE(silent.read());
}
