// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "scenario/launch.hpp"
#include "tests/support/octowright_vectors.hpp"
#include "tests/unit/scenario/scenario_files.hpp"

using namespace troupe;
using namespace troupe::scenario;
using nlohmann::json;

namespace {

/// JSON is YAML, so a vector's texts stay texts and its numbers numbers.
std::string scenario_text(const json& vector) {
  return json{{"name", "vector"},
              {"description", "one participant"},
              {"participants",
               {{{"persona", vector["persona"]},
                 {"kind", "terminal"},
                 {"role", "operator"},
                 {"options", vector["options"]}}}}}
      .dump();
}

std::string personas_text(const json& vector) {
  const json ssh = vector.value("persona_ssh", json{});
  return json{{"personas", {{vector["persona"].get<std::string>(), {{"app", {{"ssh", ssh}}}}}}}}
      .dump();
}

/// The launch as the vectors write it.
json as_vector(const Launch& launch) {
  const protocol::request::Create& create = launch.create;
  json config;
  if (create.kind == protocol::TerminalKind::pty) {
    config = {{"command", create.program}, {"cols", create.cols}, {"rows", create.rows}};
    CHECK(create.args.empty());
  } else {
    config = json::parse(create.options);
  }
  return {{"kind", protocol::to_text(create.kind)},
          {"connector_config", config},
          {"label", create.label ? json(*create.label) : json()},
          {"profile", create.profile ? json(*create.profile) : json()},
          {"protected", create.is_protected}};
}

std::string all_problems(const json& vector) {
  const Read<Personas> personas = read_personas(personas_text(vector), test::place);
  const Read<Scenario> scenario = read_scenario(scenario_text(vector), test::place);
  return test::problems_of(personas.problems) + test::problems_of(scenario.problems);
}

void check_launch(const json& vector) {
  const Read<Personas> personas = read_personas(personas_text(vector), test::place);
  REQUIRE_MESSAGE(personas.value, test::problems_of(personas.problems));
  const Scenario scenario = test::read(scenario_text(vector));
  const Launch launch = make_launch(scenario, scenario.participants.at(0),
                                    &personas.value->at(vector["persona"].get<std::string>()));
  CHECK(as_vector(launch) == vector["launch"]);
  CHECK(launch.create.group_id == "scenario:vector");
  CHECK(launch.create.title == "operator");
}

}  // namespace

TEST_CASE("vectors: every scenario of the seed loads or is refused as there") {
  const json& all = testing::octowright_vectors("scenario");
  REQUIRE(all.size() == 15);
  for (const json& vector : all) {
    const std::string id = vector["id"];
    CAPTURE(id);
    if (id == "telnet-refused" || id == "ssh-password-in-options-is-ignored") {
      continue;  // wanted differences, below
    }
    if (vector.contains("error_contains")) {
      CHECK(all_problems(vector).find(vector["error_contains"].get<std::string>()) !=
            std::string::npos);
    } else {
      check_launch(vector);
    }
  }
}

TEST_CASE("vectors: telnet is a kind like the others and a password is refused by its name") {
  for (const json& vector : testing::octowright_vectors("scenario")) {
    const std::string id = vector["id"];
    if (id == "telnet-refused") {
      const Scenario scenario = test::read(scenario_text(vector));
      CHECK(scenario.participants.at(0).options.kind == protocol::TerminalKind::telnet);
    }
    if (id == "ssh-password-in-options-is-ignored") {
      const std::string problems = all_problems(vector);
      CHECK(problems.find("the key password is refused") != std::string::npos);
      CHECK(problems.find("pw") == std::string::npos);
    }
  }
}
