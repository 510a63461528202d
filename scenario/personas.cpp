// SPDX-License-Identifier: MIT
#include "scenario/personas.hpp"

#include "scenario/readers.hpp"

namespace troupe::scenario {
namespace {

RemoteOptions read_app(Fields& app, const std::string& key, const Place& place) {
  const Node* const node = app.find(key);
  if (node == nullptr) {
    return {};
  }
  Fields fields(*node, app.full_name(key), app.problems());
  RemoteOptions remote = read_remote(fields, place);
  fields.finish();
  return remote;
}

Persona read_persona(const Node& node, const std::string& name, const Place& place,
                     Problems& problems) {
  Persona persona;
  if (node.kind == Node::Kind::null) {
    return persona;
  }
  Fields fields(node, name, problems);
  const Node* const app = fields.find("app");
  if (app == nullptr) {
    return persona;
  }
  Fields inner(*app, name + ".app", problems);
  persona.ssh = read_app(inner, "ssh", place);
  persona.telnet = read_app(inner, "telnet", place);
  return persona;
}

}  // namespace

Read<Personas> read_personas(std::string_view text, const Place& place) {
  Read<Personas> read;
  const Read<Node> tree = read_yaml(text, place.file);
  if (!tree.value) {
    read.problems = tree.problems;
    return read;
  }
  Problems problems(place.file);
  refuse_passwords(*tree.value, problems);
  Fields fields(*tree.value, "", problems);
  Personas personas;
  const Node* const list = fields.find("personas");
  if (list == nullptr || list->kind != Node::Kind::map) {
    fields.refuse("personas", "must be a mapping of names to personas");
  } else {
    for (const Entry& entry : list->entries) {
      personas[entry.key] = read_persona(entry.value, entry.key, place, problems);
    }
  }
  read.problems = problems.sorted();
  if (read.problems.empty()) {
    read.value = std::move(personas);
  }
  return read;
}

}  // namespace troupe::scenario
