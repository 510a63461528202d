// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How a file is opened, and how the parts of a scenario are read from their mappings. Inside of
/// this folder only.

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenario/fields.hpp"
#include "scenario/scenario.hpp"
#include "scenario/yaml_tree.hpp"

namespace troupe::scenario {

/// Reads a document as what `read_root(root, problems)` makes of it; that is there only where the
/// file is YAML and no problem was found.
template <class ReadRoot>
auto read_document(std::string_view text, const Place& place, ReadRoot read_root) {
  Read<std::invoke_result_t<ReadRoot, const Node&, Problems&>> read;
  const Read<Node> tree = read_yaml(text, place.file);
  if (!tree.value) {
    read.problems = tree.problems;
    return read;
  }
  Problems problems(place.file);
  auto value = read_root(*tree.value, problems);
  read.problems = problems.sorted();
  if (read.problems.empty()) {
    read.value = std::move(value);
  }
  return read;
}

/// Steps by the name of their macro.
using Macros = std::map<std::string, std::vector<Step>>;

/// What a persona's `app.ssh` or `app.telnet` and an `options` have in common.
RemoteOptions read_remote(Fields& fields, const Place& place);
/// `options` of a participant.
TerminalOptions read_options(const Node& node, const Place& place, Problems& problems,
                             Problems& notes);
/// The scenario's `defaults`: what is no matter of one participant.
TerminalOptions read_defaults(const Node& node, const Place& place, Problems& problems);

/// `ready`: a needle, or a mapping of conditions.
Condition read_ready(const Node& node, Problems& problems);
Macros read_macros(const Node& node, Problems& problems);
std::vector<Step> read_steps(const Node& node, const Macros& macros, Problems& problems);

}  // namespace troupe::scenario
