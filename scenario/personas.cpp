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

Personas read_root(const Node& root, const Place& place, Problems& problems) {
  refuse_passwords(root, problems);
  Fields fields(root, "", problems);
  Personas personas;
  const Node* const list = fields.find("personas");
  if (list == nullptr || list->kind != Node::Kind::map) {
    fields.refuse("personas", "must be a mapping of names to personas");
    return personas;
  }
  for (const Entry& entry : list->entries) {
    personas[entry.key] = read_persona(entry.value, entry.key, place, problems);
  }
  return personas;
}

}  // namespace

Read<Personas> read_personas(std::string_view text, const Place& place) {
  return read_document(text, place, [&](const Node& root, Problems& problems) {
    return read_root(root, place, problems);
  });
}

}  // namespace troupe::scenario
