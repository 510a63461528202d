// SPDX-License-Identifier: MIT
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>

#include "bench/load/bare_pty.hpp"
#include "bench/load/failure.hpp"
#include "bench/load/measure.hpp"
#include "bench/load/relay.hpp"
#include "bench/load/rendezvous.hpp"
#include "bench/load/samples.hpp"

namespace troupe::bench {
namespace {

// Between two keys, so that each meets a quiet terminal, as a person's does.
constexpr std::chrono::milliseconds key_gap{3};
constexpr std::string_view write_x = R"("op":"write","data_base64":"eA==","id":)";
constexpr std::string_view observe =
    R"("op":"subscribe","attachment_id":"load","role":"observer","takeover":false,"offset":0,"id":)";

Samples time_keys(std::size_t keys, const std::function<void()>& press) {
  Samples samples;
  for (std::size_t key = 0; key < keys; ++key) {
    std::this_thread::sleep_for(key_gap);
    const auto begun = Clock::now();
    press();
    samples.add(elapsed_ms(begun));
  }
  return samples;
}

void read_to_output(Connection& stream) {
  while (!stream.read().is_output()) {
  }
}

Samples bare_keys(const Plan& plan, const Rendezvous& rendezvous,
                  const std::vector<std::string>& child) {
  const BarePty pty(child);
  const UniqueFd peer = rendezvous.accept();
  await_peer(peer.get());
  return time_keys(plan.keys, [&pty] {
    char byte = 'x';
    if (::write(pty.master(), &byte, 1) != 1 || ::read(pty.master(), &byte, 1) != 1) {
      throw_errno("echo on the bare PTY");
    }
  });
}

void read_some(const UniqueFd& socket) {
  std::array<char, 4096> bytes{};
  if (::recv(socket.get(), bytes.data(), bytes.size(), 0) <= 0) {
    throw Failure("the relay ended early");
  }
}

Samples keys_through_relay(const Plan& plan, const Rendezvous& rendezvous,
                           const std::vector<std::string>& child) {
  const Relay relay(plan.directory, child);
  const UniqueFd peer = rendezvous.accept();
  await_peer(peer.get());
  const UniqueFd stream = relay.connect();
  return time_keys(plan.keys, [&] {
    const UniqueFd key = relay.connect();
    if (::send(key.get(), write_x.data(), write_x.size(), MSG_NOSIGNAL) < 0) {
      throw_errno("echo through the relay");
    }
    read_some(stream);
    read_some(key);
  });
}

Samples keys_on_new_connections(const Plan& plan, const Daemon& daemon, const std::string& id) {
  Connection stream(daemon.endpoint());
  stream.send(std::string(observe) + id);
  (void)stream.read();
  return time_keys(plan.keys, [&] {
    Connection key(daemon.endpoint());
    key.send(std::string(write_x) + id);
    read_to_output(stream);
    (void)key.read();
  });
}

Samples keys_on_one_connection(const Plan& plan, const Daemon& daemon, const std::string& id) {
  Connection stream(daemon.endpoint());
  stream.send(std::string(observe) + id, "stream");
  (void)stream.read();
  return time_keys(plan.keys, [&] {
    stream.send(std::string(write_x) + id, "key");
    // The answer and the output come in either order; the next key uses the id again.
    bool answered = false;
    bool echoed = false;
    while (!answered || !echoed) {
      (stream.read().is_output() ? echoed : answered) = true;
    }
  });
}

void add(Report& report, const std::string& name, const Samples& samples, const Samples& bare) {
  report.add({name + ": p50", samples.percentile(0.5), "ms",
              "over bare by " + fixed(samples.percentile(0.5) - bare.percentile(0.5), 3) + " ms"});
  report.add({name + ": p99", samples.percentile(0.99), "ms", ""});
}

}  // namespace

void measure_echo(const Plan& plan, Report& report) {
  const Rendezvous rendezvous(plan.directory);
  const std::vector<std::string> child = {plan.self, "child", "echo", rendezvous.path()};
  const Samples bare = bare_keys(plan, rendezvous, child);
  add(report, "echo, bare loop", bare, bare);

  add(report, "echo, a bare relay, a connection per key",
      keys_through_relay(plan, rendezvous, child), bare);

  const Daemon daemon(plan.daemon, plan.directory);
  const std::string id = daemon.create(child);
  const UniqueFd peer = rendezvous.accept();
  await_peer(peer.get());
  add(report, "echo, a connection per key", keys_on_new_connections(plan, daemon, id), bare);
  if (daemon.has_feature("request_id") && daemon.has_feature("mux_output")) {
    add(report, "echo, one connection", keys_on_one_connection(plan, daemon, id), bare);
  }
  daemon.terminate(id);
}

}  // namespace troupe::bench
