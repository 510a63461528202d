// SPDX-License-Identifier: MIT
#include "scenario/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "protocol/features.hpp"
#include "scenario/launch.hpp"

namespace troupe::scenario {
namespace {

using protocol::TerminalKind;
namespace feature = protocol::feature;

using Needs = std::vector<std::vector<std::size_t>>;  ///< by place in the file

/// All names are those of participants: `read_scenario` has seen to it.
Needs find_needs(const Scenario& scenario) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t at = 0; at < scenario.participants.size(); ++at) {
    places.emplace(scenario.participants[at].name, at);
  }
  Needs needs(scenario.participants.size());
  for (std::size_t at = 0; at < needs.size(); ++at) {
    const Participant& participant = scenario.participants[at];
    for (const std::string& name : participant.needs) {
      const std::size_t place = places.at(name);
      if (std::find(needs[at].begin(), needs[at].end(), place) == needs[at].end()) {
        needs[at].push_back(place);
      }
    }
  }
  return needs;
}

/// Places in an order in which each stands after what it needs; shorter where there is a cycle.
std::vector<std::size_t> order_of(const Needs& needs) {
  std::vector<std::size_t> order;
  std::set<std::size_t> placed;
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t at = 0; at < needs.size(); ++at) {
      const bool free = std::all_of(needs[at].begin(), needs[at].end(),
                                    [&](std::size_t need) { return placed.count(need) != 0; });
      if (free && placed.insert(at).second) {
        order.push_back(at);
        moved = true;
      }
    }
  }
  return order;
}

/// Reports one cycle among those that could not be placed: each of them needs another of them, so
/// that following needs must come back to where it was.
void report_cycle(const Scenario& scenario, const Needs& needs,
                  const std::vector<std::size_t>& order, Problems& problems) {
  const std::set<std::size_t> placed(order.begin(), order.end());
  const auto stuck = [&](std::size_t at) { return placed.count(at) == 0; };
  std::size_t at = 0;
  while (!stuck(at)) {
    ++at;
  }
  std::vector<std::size_t> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    at = *std::find_if(needs[at].begin(), needs[at].end(), stuck);
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::string text;
  for (const std::size_t place : path) {
    text += scenario.participants[place].name + " needs ";
  }
  problems.add(scenario.participants[at].needs_line,
               "needs go in a circle: " + text + scenario.participants[at].name);
}

const Persona* find_persona(const Scenario& scenario, const Participant& participant,
                            const Personas* personas, Problems& problems) {
  if (personas == nullptr || !participant.persona) {
    return nullptr;
  }
  const auto found = personas->find(*participant.persona);
  if (found == personas->end()) {
    problems.add(participant.persona_line,
                 "the file of personas has no " + *participant.persona +
                     (scenario.personas ? " (" + *scenario.personas + ")" : std::string{}));
    return nullptr;
  }
  return &found->second;
}

void check_remote(const Launch& launch, const Participant& participant, const Persona* persona,
                  Problems& problems) {
  if (launch.create.kind == TerminalKind::pty) {
    return;
  }
  static const RemoteOptions none{};
  const bool ssh = launch.create.kind == TerminalKind::ssh;
  const RemoteOptions& mine = participant.options.remote;
  const RemoteOptions& other = persona == nullptr ? none : ssh ? persona->ssh : persona->telnet;
  if (!mine.host && !other.host) {
    problems.add(launch.line, launch.name + " has no host, in its options or its persona");
  }
  const auto set = [&](auto member) {
    return (mine.*member ? mine.*member : other.*member).value_or(false);
  };
  if (ssh && !mine.known_hosts && !other.known_hosts &&
      !set(&RemoteOptions::insecure_no_host_check) && !set(&RemoteOptions::use_ssh_config)) {
    problems.add(launch.line, launch.name +
                                  " has no known_hosts (a file with the host's key); "
                                  "use_ssh_config: true takes yours, and "
                                  "insecure_no_host_check: true connects without checking");
  }
}

bool has_step(const Plan& plan, std::initializer_list<std::string_view> names) {
  return std::any_of(plan.launches.begin(), plan.launches.end(), [&](const Launch& launch) {
    return std::any_of(launch.steps.begin(), launch.steps.end(), [&](const Step& step) {
      return std::find(names.begin(), names.end(), step.name()) != names.end();
    });
  });
}

template <class Test>
bool any_condition(const Plan& plan, Test test) {
  return std::any_of(plan.launches.begin(), plan.launches.end(), [&](const Launch& launch) {
    return (launch.ready && test(*launch.ready)) ||
           std::any_of(launch.steps.begin(), launch.steps.end(), [&](const Step& step) {
             const auto* const wait = std::get_if<step::Wait>(&step.what);
             return wait != nullptr && test(wait->condition);
           });
  });
}

}  // namespace

std::string group_of(std::string_view scenario_name) {
  return "scenario:" + std::string(scenario_name);
}

Read<Plan> make_plan(const Scenario& scenario, const Personas* personas) {
  Problems problems(scenario.place.file);
  Plan plan{scenario.place.file, scenario.name, scenario.description, {}};
  const Needs needs = find_needs(scenario);
  const std::vector<std::size_t> order = order_of(needs);
  if (order.size() < needs.size()) {
    report_cycle(scenario, needs, order, problems);
  }
  std::map<std::size_t, std::size_t> new_places;
  for (const std::size_t at : order) {
    const Participant& participant = scenario.participants[at];
    const Persona* const persona = find_persona(scenario, participant, personas, problems);
    Launch launch = make_launch(scenario, participant, persona);
    check_remote(launch, participant, persona, problems);
    for (const std::size_t need : needs[at]) {
      launch.needs.push_back(new_places.at(need));
    }
    new_places[at] = plan.launches.size();
    plan.launches.push_back(std::move(launch));
  }
  Read<Plan> read;
  read.problems = problems.sorted();
  if (read.problems.empty()) {
    read.value = std::move(plan);
  }
  return read;
}

std::vector<Needed> needed_features(const Plan& plan) {
  const auto launches = [&](auto test) {
    return std::any_of(plan.launches.begin(), plan.launches.end(),
                       [&](const Launch& launch) { return test(launch.create); });
  };
  const auto text = [](const Condition& it) { return it.needle || it.regex || it.idle; };
  std::vector<Needed> needed{{feature::request_id, "answer many requests at once"}};
  const auto need = [&needed](bool wanted, std::string_view name, std::string_view what) {
    if (wanted) {
      needed.push_back({name, what});
    }
  };
  using protocol::request::Create;
  need(launches([](const Create& it) { return it.kind != TerminalKind::pty; }), feature::kinds,
       "open terminals over ssh or telnet");
  need(launches([](const Create& it) { return it.recording.has_value(); }), feature::recording,
       "record terminals");
  need(launches([](const Create& it) { return it.integrate; }), feature::integrate,
       "load the shell integration");
  need(any_condition(plan, text) || has_step(plan, {"send", "keys", "paste", "password_env"}),
       feature::text, "wait for text");
  need(any_condition(plan, [](const Condition& it) { return it.exit.has_value(); }),
       feature::child_exit, "wait for a program's end");
  need(any_condition(plan, [](const Condition& it) { return it.command.has_value(); }) ||
           has_step(plan, {"run"}),
       feature::journal, "run commands in a shell");
  need(has_step(plan, {"keys", "paste"}), feature::control, "press keys and paste");
  return needed;
}

}  // namespace troupe::scenario
