// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "client.hpp"
#include "daemon_process.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe;
using namespace troupe::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
using protocol::RequestId;

namespace {

RequestId id_of(std::uint64_t number) {
  return RequestId{number};
}

request::Subscribe subscribe_to(TerminalId id) {
  request::Subscribe subscribe;
  subscribe.id = id;
  subscribe.attachment_id = "mux";
  return subscribe;
}

}  // namespace

TEST_CASE("mux: one connection follows two terminals and a wait blocks nobody") {
  DaemonProcess daemon;
  const TerminalId first = create_shell(daemon, "stty raw -echo; printf ONE; exec cat");
  const TerminalId second = create_shell(daemon, "stty raw -echo; printf TWO; exec cat");
  Client client{daemon};
  client.send(request::WaitExit{first, 60'000}, id_of(1));
  client.send(subscribe_to(first), id_of(2));
  client.send(subscribe_to(second), id_of(3));
  CHECK(std::holds_alternative<reply::Attached>(client.read_reply(id_of(3))));
  for (const TerminalId id : {first, second}) {
    request::Write write;
    write.id = id;
    write.data = "to " + std::to_string(id.value);
    client.send(write, id_of(id.value));
  }
  std::map<TerminalId, std::string> got;
  while (got[first].find("to ") == std::string::npos ||
         got[second].find("to ") == std::string::npos) {
    const auto payload = client.read();
    REQUIRE(payload);
    if (protocol::is_output(*payload)) {
      const auto view = protocol::parse_output(*payload);
      REQUIRE(view);
      REQUIRE(view->terminal);
      got[*view->terminal] += view->bytes;
    }
  }
  CHECK(got[first].find(std::to_string(second.value)) == std::string::npos);
  client.send(request::Cancel{id_of(1)}, id_of(4));
  CHECK(std::get<reply::Error>(client.read_reply(id_of(1))).code == Code::cancelled);
  CHECK(std::holds_alternative<reply::Ok>(client.read_reply(id_of(4))));
}

TEST_CASE("mux: another list is heard of when it can be read") {
  DaemonProcess daemon;
  Client client{daemon};
  std::uint64_t number = 0;
  std::uint64_t revision = 0;
  const auto ask = [&](protocol::Request request) {
    client.send(request, id_of(++number));
    return client.read_reply(id_of(number));
  };
  client.send(request::TerminalsWait{}, id_of(++number));
  revision = std::get<reply::TerminalsChanged>(client.read_reply(id_of(number))).revision;
  /// Waits until the list is as it should be; a change may come in two steps.
  const auto until = [&](const auto& holds) {
    while (!holds(std::get<reply::Terminals>(ask(request::List{})).terminals)) {
      const auto changed = std::get<reply::TerminalsChanged>(
          ask(request::TerminalsWait{revision, std::chrono::milliseconds{patience}.count()}));
      REQUIRE_FALSE(changed.timed_out);
      REQUIRE(changed.revision > revision);
      revision = changed.revision;
    }
  };
  const TerminalId id = create_shell(daemon, "read line");
  until([](const auto& all) { return all.size() == 1; });
  ask(request::Rename{id, "mine"});
  until([](const auto& all) { return all[0].title == "mine"; });
  request::Write enter;
  enter.id = id;
  enter.data = "\r";
  ask(enter);
  const auto is_over = [](const auto& all) {
    return std::holds_alternative<protocol::Exited>(all[0].lifecycle);
  };
  until(is_over);
  CHECK(std::holds_alternative<reply::Ok>(ask(request::Restart{id})));
  until([&](const auto& all) { return !is_over(all); });
  ask(request::Terminate{id, false});
  until([](const auto& all) { return all.empty(); });
}

TEST_CASE("mux: a wait for another list ends at its time or where it is cancelled") {
  DaemonProcess daemon;
  Client client{daemon};
  client.send(request::TerminalsWait{}, id_of(1));
  const auto revision = std::get<reply::TerminalsChanged>(client.read_reply(id_of(1))).revision;
  client.send(request::TerminalsWait{revision, 60'000}, id_of(2));
  client.send(request::TerminalsWait{revision, 50}, id_of(3));
  const auto late = std::get<reply::TerminalsChanged>(client.read_reply(id_of(3)));
  CHECK(late.timed_out);
  CHECK(late.revision == revision);
  client.send(request::Cancel{id_of(2)}, id_of(4));
  CHECK(std::get<reply::Error>(client.read_reply(id_of(2))).code == Code::cancelled);
  CHECK(std::holds_alternative<reply::Ok>(client.read_reply(id_of(4))));
}

TEST_CASE("mux: a subscription says why it ended") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "stty raw -echo; printf READY; exec cat");
  Client client{daemon};
  SUBCASE("terminated") {
    client.send(subscribe_to(id), id_of(1));
    CHECK(std::holds_alternative<reply::Attached>(client.read_reply(id_of(1))));
    client.send(request::Terminate{id, false}, id_of(2));
    protocol::Response last;
    do {
      last = client.read_reply(id_of(1));
    } while (!std::holds_alternative<protocol::event::Ended>(last));
    CHECK(std::get<protocol::event::Ended>(last).reason == protocol::EndReason::terminated);
    CHECK(std::holds_alternative<reply::Ok>(client.read_reply(id_of(2))));
  }
  SUBCASE("replaced") {
    client.send(subscribe_to(id), id_of(1));
    client.send(subscribe_to(id), id_of(2));
    bool attached = false;
    bool replaced = false;
    while (!attached || !replaced) {
      const auto message = client.read_message();
      attached = attached || (message.request_id == id_of(2) &&
                              std::holds_alternative<reply::Attached>(message.response));
      if (const auto* const ended = std::get_if<protocol::event::Ended>(&message.response)) {
        CHECK(message.request_id == id_of(1));
        CHECK(ended->reason == protocol::EndReason::replaced);
        replaced = true;
      }
    }
  }
}

TEST_CASE("mux: a terminate and a restart keep the order of arrival") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "printf READY; read line; printf \"[$line]\"");
  request::Write write;
  write.id = id;
  write.data = "one\n";
  write.ack = true;
  Client client{daemon};
  client.send(write, id_of(1));
  client.send(request::WaitExit{id, 60'000}, id_of(2));
  (void)client.read_reply(id_of(2));
  REQUIRE(wait_until([&] {
    const auto terminals = ask_for<reply::Terminals>(daemon, request::List{}).terminals;
    return std::holds_alternative<protocol::Exited>(terminals.at(0).lifecycle);
  }));
  write.data = "two\n";
  client.send(request::Restart{id}, id_of(3));
  client.send(write, id_of(4));
  CHECK(std::holds_alternative<reply::Ok>(client.read_reply(id_of(3))));
  CHECK(std::holds_alternative<reply::Ok>(client.read_reply(id_of(4))));
  CHECK(wait_until([&] { return replay_of(daemon, id).find("[two]") != std::string::npos; }));
  for (std::uint64_t round = 0; round < 10; ++round) {
    write.id = create_shell(daemon, "exec sleep 1000");
    client.send(request::Terminate{write.id, false}, id_of(100 + round));
    client.send(write, id_of(200 + round));
    const auto refused = client.read_reply(id_of(200 + round));
    REQUIRE(std::holds_alternative<reply::Error>(refused));
    CHECK(std::get<reply::Error>(refused).code == Code::not_found);
  }
}

TEST_CASE("mux: requests to one terminal are executed in the order of arrival") {
  DaemonProcess daemon;
  const TerminalId id = create_shell(daemon, "stty raw -echo; printf READY; exec cat");
  REQUIRE(wait_until([&] { return replay_of(daemon, id) == "READY"; }));
  Client client{daemon};
  std::string expected = "READY";
  for (std::uint64_t i = 0; i < 500; ++i) {
    request::Write write;
    write.id = id;
    write.data = std::to_string(i) + ";";
    expected += write.data;
    client.send(write, id_of(i));
  }
  for (std::uint64_t answered = 0; answered < 500; ++answered) {
    CHECK(std::holds_alternative<reply::Ok>(client.read_message().response));
  }
  CHECK(wait_until([&] { return replay_of(daemon, id) == expected; }));
}
