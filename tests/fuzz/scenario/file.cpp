// SPDX-License-Identifier: MIT
/// @file
/// No file hurts the reader of scenarios; what is refused is told, and what is accepted makes
/// requests that the daemon understands.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/codec.hpp"
#include "scenario/plan.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe::scenario;
namespace protocol = troupe::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Place place{"f.yaml", "/here", "/home/me"};
  (void)read_personas(text, place);
  (void)read_scenario_name(text, place);
  const Read<Scenario> scenario = read_scenario(text, place);
  expect(scenario.value.has_value() == scenario.problems.empty(), "a file is read or refused");
  if (!scenario.value) {
    return 0;
  }
  const Read<Plan> plan = make_plan(*scenario.value, nullptr);
  expect(plan.value.has_value() == plan.problems.empty(), "a plan is made or refused");
  if (!plan.value) {
    return 0;
  }
  expect(plan.value->launches.size() == scenario.value->participants.size(), "nobody is lost");
  for (std::size_t at = 0; at < plan.value->launches.size(); ++at) {
    const Launch& launch = plan.value->launches[at];
    for (const std::size_t need : launch.needs) {
      expect(need < at, "a participant stands after what it needs");
    }
    const auto again =
        protocol::decode_request(protocol::encode_request("t", std::uint64_t{1}, launch.create));
    expect(!std::holds_alternative<protocol::Drop>(again.outcome), "a request can be sent");
  }
  return 0;
}
