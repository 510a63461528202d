// SPDX-License-Identifier: MIT
#include "actors/io_hub.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "protocol/frame_encoder.hpp"
#include "tests/unit/actors/quick_system.hpp"

using namespace troupe;
using namespace troupe::actors;

namespace {

constexpr ChannelId channel = 1;

/// A hub with one program on a channel and one connection. This thread is the io thread.
struct Stage {
  boost::asio::io_context io{1};
  testing::QuickConfig config;
  caf::actor_system system{config};
  caf::actor terminal;
  caf::actor session;
  IoHub hub{
      io, {}, {{}, [this](ConnectionId) { return session; }, [] {}, [] {}, [](const auto&) {}}};
  std::mutex mutex;  // the terminal's messages come on either thread
  std::string printed;
  std::thread::id session_thread;

  Stage() { hub.adopt(system); }
  ~Stage() {
    hub.resign();
    for (const caf::actor& actor : {terminal, session}) {
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    }
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  void post(io::Command command) {
    std::vector<io::Command> commands;
    commands.push_back(std::move(command));
    hub.post(std::move(commands));
  }
  std::string output() {
    const std::lock_guard lock(mutex);
    return printed;
  }
  void await_output(const std::string& wanted) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (output() != wanted && std::chrono::steady_clock::now() < deadline) {
      io.run_one_for(std::chrono::milliseconds{5});
    }
    CHECK(output() == wanted);
  }
};

caf::behavior terminal_behavior(caf::event_based_actor*, Stage* stage) {
  return {[](const ChannelOpened&) {},
          [stage](const ChannelNews& news) {
            if (const auto* const data = std::get_if<pty::Data>(&news.event)) {
              {
                const std::lock_guard lock(stage->mutex);
                stage->printed += data->bytes;
              }
              stage->post(io::Credit{channel, 1});
            }
          },
          [stage](const InputTyped&) {
            stage->post(io::Write{channel, "c", 0, 0});
          }};
}

/// Asks for more than a key at first, then for two keys.
caf::behavior session_behavior(caf::event_based_actor*, Stage* stage) {
  return {[stage](const FrameArrived&) {
            stage->session_thread = std::this_thread::get_id();
            std::vector<io::Command> first;
            first.emplace_back(io::Consumed{1, 1});
            first.emplace_back(io::Write{channel, "a", 0, 0});
            stage->hub.post(std::move(first));
            stage->post(io::Write{channel, "b", 0, 0});
            stage->post(io::Write{channel, "c", 0, 0});
          },
          [](const LanesWritten&) {}, [](const StreamEnded&) {}};
}

void start_cat(Stage& stage) {
  stage.terminal = stage.system.spawn(terminal_behavior, &stage);
  pty::LaunchSpec program;
  program.program = "/bin/sh";
  program.args = {"-c", "stty raw -echo; printf READY; exec cat"};
  program.cwd = "/";
  program.size = {80, 24};
  stage.post(io::Open{channel, std::move(program), stage.terminal, stage.terminal});
  stage.await_output("READY");
}

}  // namespace

TEST_CASE("hub: what an actor asks for on the io thread is done in that order") {
  Stage stage;
  start_cat(stage);
  stage.session = stage.system.spawn<caf::lazy_init>(session_behavior, &stage);
  int sockets[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets) == 0);
  const UniqueFd client{sockets[0]};
  stage.hub.accept(UniqueFd{sockets[1]});
  const std::string frame = protocol::control_frame("key");
  REQUIRE(::write(client.get(), frame.data(), frame.size()) == static_cast<ssize_t>(frame.size()));
  stage.await_output("READYabc");
  CHECK(stage.session_thread == std::this_thread::get_id());
}

TEST_CASE(
    "hub: what a command leads to comes after the commands that were asked with it") {
  Stage stage;
  start_cat(stage);
  std::vector<io::Command> commands;
  commands.emplace_back(io::Write{channel, "a", 0, 1});  // answered with `InputTyped`
  commands.emplace_back(io::Write{channel, "b", 0, 0});
  stage.hub.post(std::move(commands));
  stage.await_output("READYabc");
}
