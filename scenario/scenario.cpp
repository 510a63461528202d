// SPDX-License-Identifier: MIT
#include "scenario/scenario.hpp"

#include <array>
#include <set>

#include "scenario/personas.hpp"
#include "scenario/readers.hpp"

namespace troupe::scenario {
namespace {

/// `kind`: `terminal`, whose connector is in the options, or the connector itself.
void read_kind(Fields& fields, Participant& participant) {
  const std::string kind = fields.text("kind").value_or("terminal");
  if (kind == "terminal") {
    return;
  }
  const auto named = protocol::from_text<protocol::TerminalKind>(kind);
  if (!named) {
    fields.refuse("kind", "must be terminal, pty, ssh or telnet; no other kind is supported");
  } else if (participant.options.kind && participant.options.kind != named) {
    fields.refuse("kind", "and options.connector_type differ");
  } else {
    participant.options.kind = named;
  }
}

/// The options are checked for the connector that `kind` may name.
TerminalOptions read_participant_options(Fields& fields, const Place& place, Problems& notes) {
  static const Node no_options = [] {
    Node node;
    node.kind = Node::Kind::map;
    return node;
  }();
  const Node* const given = fields.find("options");
  Node options = given == nullptr ? no_options : *given;
  const Node* const kind = fields.find("kind");
  const bool named = kind != nullptr && protocol::from_text<protocol::TerminalKind>(kind->text);
  Fields inner(options, "options", fields.problems());
  if (named && options.kind == Node::Kind::map && !inner.has("connector_type")) {
    options.entries.push_back({"connector_type", kind->line, *kind});
  }
  return options.kind == Node::Kind::map ? read_options(options, place, fields.problems(), notes)
                                         : TerminalOptions{};
}

void refuse_browser_keys(Fields& fields) {
  for (const char* const key : {"url", "startup_macros"}) {
    if (fields.find(key) != nullptr) {
      fields.refuse(key, "is for browsers; a terminal has options and steps");
    }
  }
}

Participant read_participant(const Node& node, const Scenario& scenario, const Macros& macros,
                             Problems& problems, Problems& notes) {
  Participant participant;
  Fields fields(node, "", problems);
  participant.line = node.line;
  participant.persona = fields.name("persona");
  participant.persona_line = fields.line_of("persona");
  participant.role = fields.name("role");
  participant.name =
      fields.name("name").value_or(participant.role.value_or(participant.persona.value_or("")));
  participant.title = fields.name("title");
  participant.label = fields.name("label");
  participant.is_protected = fields.boolean("protected").value_or(false);
  participant.options = read_participant_options(fields, scenario.place, notes);
  read_kind(fields, participant);
  participant.needs = fields.texts("needs").value_or(std::vector<std::string>{});
  participant.needs_line = fields.line_of("needs");
  if (const Node* const ready = fields.find("ready")) {
    participant.ready = read_ready(*ready, problems);
    participant.ready_line = fields.line_of("ready");
  }
  if (const Node* const steps = fields.find("steps")) {
    participant.steps = read_steps(*steps, macros, problems);
  }
  if (node.kind == Node::Kind::map && !fields.has("persona") && !fields.has("role") &&
      !fields.has("name")) {
    problems.add(node.line, "a participant needs a persona, a role or a name");
  }
  refuse_browser_keys(fields);
  fields.finish();
  return participant;
}

void check_needs(const Scenario& scenario, const std::set<std::string>& names, Problems& problems) {
  for (const Participant& participant : scenario.participants) {
    const std::set<std::string> needs(participant.needs.begin(), participant.needs.end());
    for (const std::string& name : needs) {
      if (names.count(name) == 0) {
        problems.add(participant.needs_line, "needs names no participant: " + name);
      }
    }
  }
}

void read_participants(Fields& fields, Scenario& scenario, const Macros& macros, Problems& notes) {
  const Node* const list = fields.find("participants");
  if (list == nullptr || list->kind != Node::Kind::sequence || list->items.empty()) {
    fields.refuse("participants", "must be a list with at least one participant");
    return;
  }
  if (list->items.size() > max_participants) {
    fields.refuse("participants", "has more than " + std::to_string(max_participants));
    return;
  }
  std::set<std::string> names;
  for (const Node& node : list->items) {
    Participant participant = read_participant(node, scenario, macros, fields.problems(), notes);
    if (!participant.name.empty() && !names.insert(participant.name).second) {
      fields.problems().add(node.line, "two participants are called " + participant.name +
                                           "; give one of them a name of its own");
    }
    scenario.participants.push_back(std::move(participant));
  }
  check_needs(scenario, names, fields.problems());
}

std::string read_name(Fields& fields) {
  std::optional<std::string> name = fields.name("name");
  if (!fields.has("name")) {
    fields.refuse("name", "is missing: the scenario needs one");
  }
  return name.value_or("");
}

Scenario read_root(const Node& root, const Place& place, Problems& problems, Problems& notes) {
  refuse_passwords(root, problems);
  Fields fields(root, "", problems);
  Scenario scenario;
  scenario.place = place;
  if (root.kind != Node::Kind::map) {
    return scenario;
  }
  scenario.name = read_name(fields);
  scenario.description = fields.text("description").value_or("");
  scenario.personas = fields.text("personas");
  scenario.personas_line = fields.line_of("personas");
  if (const Node* const defaults = fields.find("defaults")) {
    scenario.defaults = read_defaults(*defaults, place, problems);
  }
  const Node* const macros = fields.find("macros");
  read_participants(fields, scenario, macros != nullptr ? read_macros(*macros, problems) : Macros{},
                    notes);
  fields.finish();
  return scenario;
}

}  // namespace

std::string_view Step::name() const {
  constexpr std::array<std::string_view, 6> names{"send", "keys", "paste",
                                                  "wait", "run",  "password_env"};
  return names.at(what.index());
}

Read<Scenario> read_scenario(std::string_view text, const Place& place) {
  Problems notes(place.file);
  Read<Scenario> read = read_document(text, place, [&](const Node& root, Problems& problems) {
    return read_root(root, place, problems, notes);
  });
  read.notes = notes.sorted();
  return read;
}

Read<std::string> read_scenario_name(std::string_view text, const Place& place) {
  return read_document(text, place, [](const Node& root, Problems& problems) {
    Fields fields(root, "", problems);
    return root.kind == Node::Kind::map ? read_name(fields) : std::string{};
  });
}

}  // namespace troupe::scenario
