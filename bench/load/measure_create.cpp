// SPDX-License-Identifier: MIT
#include <list>

#include "bench/load/bare_pty.hpp"
#include "bench/load/measure.hpp"
#include "bench/load/samples.hpp"

namespace troupe::bench {
namespace {

const std::vector<std::string>& quiet_command() {
  static const std::vector<std::string> command = {"/bin/cat"};
  return command;
}

double per_second(std::size_t count, double ms) {
  return static_cast<double>(count) * 1000 / ms;
}

double bare_rate(const Plan& plan) {
  std::list<BarePty> terminals;
  const auto begun = Clock::now();
  for (std::size_t i = 0; i < plan.creations; ++i) {
    terminals.emplace_back(quiet_command());
  }
  return per_second(plan.creations, elapsed_ms(begun));
}

double rate_on_new_connections(const Plan& plan) {
  const Daemon daemon(plan.daemon, plan.directory);
  const auto begun = Clock::now();
  for (std::size_t i = 0; i < plan.creations; ++i) {
    (void)daemon.create(quiet_command());
  }
  return per_second(plan.creations, elapsed_ms(begun));
}

double rate_on_one_connection(const Plan& plan, bool& supported) {
  const Daemon daemon(plan.daemon, plan.directory);
  supported = daemon.has_feature("request_id");
  if (!supported) {
    return 0;
  }
  Connection connection(daemon.endpoint());
  const std::string request = create_request(quiet_command());
  const auto begun = Clock::now();
  for (std::size_t i = 0; i < plan.creations; ++i) {
    connection.send(request, "create");
    (void)created_id(connection.read().json());
  }
  return per_second(plan.creations, elapsed_ms(begun));
}

}  // namespace

void measure_create(const Plan& plan, Report& report) {
  Samples bare;
  Samples fresh;
  Samples kept;
  bool kept_supported = false;
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    bare.add(bare_rate(plan));
    fresh.add(rate_on_new_connections(plan));
    kept.add(rate_on_one_connection(plan, kept_supported));
  }
  const std::string bare_text = "bare " + fixed(bare.median(), 0) + "/s";
  report.add({"create, a connection each", fresh.median() / bare.median(), "x bare",
              bare_text + ", daemon " + fixed(fresh.median(), 0) + "/s"});
  if (kept_supported) {
    report.add({"create, one connection", kept.median() / bare.median(), "x bare",
                bare_text + ", daemon " + fixed(kept.median(), 0) + "/s"});
  }
}

}  // namespace troupe::bench
