// SPDX-License-Identifier: MIT
// `ready`, `steps` and `macros`.
#include <array>
#include <limits>

#include "base/key.hpp"
#include "base/utf8.hpp"
#include "protocol/limits.hpp"
#include "scenario/readers.hpp"
#include "terminal/pattern.hpp"

namespace troupe::scenario {
namespace {

constexpr std::size_t max_shown_bytes = 40;

constexpr std::array<const char*, 7> step_names{"send", "keys",  "paste",       "wait",
                                                "run",  "macro", "password_env"};

std::optional<std::string> bounded_text(Fields& fields, const std::string& key,
                                        std::size_t most_bytes) {
  std::optional<std::string> text = fields.text(key);
  if (text && text->empty()) {
    fields.refuse(key, "must not be empty");
    return std::nullopt;
  }
  if (text && text->size() > most_bytes) {
    fields.refuse(key, "is longer than " + std::to_string(most_bytes) + " bytes");
    return std::nullopt;
  }
  return text;
}

std::optional<ExitWanted> read_exit(Fields& fields) {
  const Node* const node = fields.find("exit");
  if (node == nullptr) {
    return std::nullopt;
  }
  if (node->looks_like_integer()) {
    const auto status = fields.integer("exit", 0, 255);
    return status ? std::optional<ExitWanted>{{static_cast<int>(*status)}} : std::nullopt;
  }
  if (!node->looks_like_boolean() || node->text != "true") {
    fields.refuse("exit", "must be true (any status) or a status from 0 to 255");
    return std::nullopt;
  }
  return ExitWanted{};
}

void check_one_kind(Fields& fields, const Condition& condition) {
  const bool text = condition.needle || condition.regex || condition.idle;
  const int kinds = (text ? 1 : 0) + (condition.exit ? 1 : 0) + (condition.command ? 1 : 0);
  if (kinds > 1) {
    fields.problems().add(fields.line_of(condition.exit ? "exit" : "command"),
                          fields.full_name(condition.exit ? "exit" : "command") +
                              " stands alone, without other conditions");
  }
  const bool asked = fields.has("needle") || fields.has("regex") || fields.has("idle") ||
                     fields.has("exit") || fields.has("command");
  if (!asked) {
    fields.problems().add(fields.line_of(""), fields.full_name("needle") +
                                                  ", regex, idle or exit is missing: there is "
                                                  "nothing to wait for");
  }
}

enum class Commands : std::uint8_t { allowed, refused };

Condition read_condition(const Node& node, const std::string& where, Commands commands,
                         Problems& problems) {
  Condition condition;
  if (node.kind == Node::Kind::scalar) {
    Node map;
    map.kind = Node::Kind::map;
    map.line = node.line;
    map.entries.push_back({"needle", node.line, node});
    Fields fields(map, where, problems);
    condition.needle = bounded_text(fields, "needle", protocol::max_needle_bytes);
    return condition;
  }
  Fields fields(node, where, problems);
  if (node.kind != Node::Kind::map) {
    return condition;
  }
  condition.needle = bounded_text(fields, "needle", protocol::max_needle_bytes);
  condition.regex = bounded_text(fields, "regex", protocol::max_needle_bytes);
  if (condition.regex && !condition.regex->empty()) {
    using terminal::Case;
    using terminal::Pattern;
    using terminal::Syntax;
    const auto compiled = Pattern::compile(*condition.regex, Syntax::regex, Case::sensitive);
    if (!compiled) {
      fields.refuse("regex", "is an " + compiled.error().message);
    }
  }
  condition.idle = fields.time("idle");
  condition.exit = read_exit(fields);
  if (commands == Commands::allowed) {
    condition.command = bounded_text(fields, "command", protocol::max_input_bytes);
  }
  condition.timeout = fields.time("timeout").value_or(default_timeout);
  check_one_kind(fields, condition);
  fields.finish();
  return condition;
}

step::Send read_send(Fields& fields) {
  step::Send send;
  send.text = bounded_text(fields, "send", protocol::max_input_bytes).value_or("");
  send.enter = fields.boolean("enter").value_or(false);
  return send;
}

/// A list, or names in one text with blanks between.
step::Keys read_keys(Fields& fields) {
  step::Keys keys;
  const Node* const node = fields.find("keys");
  if (node->kind == Node::Kind::sequence) {
    keys.keys = fields.texts("keys").value_or(std::vector<std::string>{});
  } else {
    const std::string names = fields.text("keys").value_or("");
    for (std::size_t at = names.find_first_not_of(' '); at != std::string::npos;) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      keys.keys.push_back(names.substr(at, end - at));
      at = names.find_first_not_of(' ', end);
    }
  }
  if (keys.keys.empty() || keys.keys.size() > protocol::max_keys) {
    fields.refuse("keys", "must be 1 to " + std::to_string(protocol::max_keys) + " names of keys");
  }
  for (const std::string& name : keys.keys) {
    if (!parse_key(name)) {
      fields.refuse("keys",
                    "has an unknown key \"" + std::string(cut_utf8(name, max_shown_bytes)) + "\"");
    }
  }
  return keys;
}

step::Run read_run(Fields& fields) {
  step::Run run;
  run.line = bounded_text(fields, "run", protocol::max_input_bytes).value_or("");
  run.timeout = fields.time("timeout").value_or(default_timeout);
  const Node* const expect = fields.find("expect");
  if (expect != nullptr && expect->text == "any") {
    run.status = std::nullopt;
  } else if (expect != nullptr) {
    run.status = static_cast<int>(fields.integer("expect", 0, 255).value_or(0));
  }
  return run;
}

Step read_step(Fields& fields, const std::string& name, int line) {
  Step step{line, {}};
  if (name == "send") {
    step.what = read_send(fields);
  } else if (name == "keys") {
    step.what = read_keys(fields);
  } else if (name == "paste") {
    step.what = step::Paste{bounded_text(fields, name, protocol::max_input_bytes).value_or("")};
  } else if (name == "wait") {
    step.what = step::Wait{
        read_condition(*fields.find(name), "wait", Commands::refused, fields.problems())};
  } else if (name == "run") {
    step.what = read_run(fields);
  } else {
    step.what = step::Secret{fields.variable(name).value_or("")};
  }
  return step;
}

void append_macro(Fields& fields, const Macros* macros, std::vector<Step>& steps) {
  const std::string name = fields.text("macro").value_or("");
  if (macros == nullptr) {
    fields.refuse("macro", "cannot stand inside of a macro");
    return;
  }
  const auto macro = macros->find(name);
  if (macro == macros->end()) {
    fields.refuse("macro", "names no macro of this file: " + name);
    return;
  }
  steps.insert(steps.end(), macro->second.begin(), macro->second.end());
}

std::vector<Step> read_list(const Node& node, const std::string& where, const Macros* macros,
                            Problems& problems) {
  std::vector<Step> steps;
  if (node.kind != Node::Kind::sequence) {
    problems.add(node.line, where + " must be a list of steps");
    return steps;
  }
  for (const Node& item : node.items) {
    Fields fields(item, where, problems);
    std::string name;
    int names = 0;
    for (const char* const candidate : step_names) {
      if (fields.has(candidate)) {
        name = candidate;
        ++names;
      }
    }
    if (names != 1) {
      problems.add(item.line, where +
                                  ": a step has one of send, keys, paste, wait, run, "
                                  "password_env and macro");
    } else if (name == "macro") {
      append_macro(fields, macros, steps);
      fields.finish();
    } else {
      steps.push_back(read_step(fields, name, item.line));
      fields.finish();
    }
    if (steps.size() > max_steps) {
      problems.add(item.line, where + ": more than " + std::to_string(max_steps) + " steps");
      return {};
    }
  }
  return steps;
}

}  // namespace

Condition read_ready(const Node& node, Problems& problems) {
  return read_condition(node, "ready", Commands::allowed, problems);
}

Macros read_macros(const Node& node, Problems& problems) {
  Macros macros;
  if (node.kind != Node::Kind::map) {
    problems.add(node.line, "macros must be a mapping of names to lists of steps");
    return macros;
  }
  for (const Entry& entry : node.entries) {
    macros[entry.key] = read_list(entry.value, "macros." + entry.key, nullptr, problems);
  }
  return macros;
}

std::vector<Step> read_steps(const Node& node, const Macros& macros, Problems& problems) {
  return read_list(node, "steps", &macros, problems);
}

}  // namespace troupe::scenario
